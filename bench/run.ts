/**
 * Runs the benchmarks named on the command line, or all of them, and ends with a status that says
 * whether every floor held. Rounds of the two contenders alternate, so that a busy moment of the
 * machine hits both; only their ratio is judged.
 */
import { readdirSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Bench, Measurement, Row } from "./define.ts";
import { createStage } from "./stage.ts";
import { failuresOf, type RowResult, tableOf } from "./table.ts";

const FOLDER = new URL("./", import.meta.url);
const ENDING = ".bench.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
  },
});

function chosenNames(): string[] {
  const known = readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length));
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(", ")}. Known: ${known.join(", ")}.`);
    process.exit(2);
  }
  return positionals.length > 0 ? positionals : known;
}

async function measureRow(row: Row, rounds: number): Promise<RowResult> {
  const { ours, other } = row;
  // The first round of each is not counted: code that has run for a while runs faster.
  await ours.measure();
  await other?.measure();
  const result = { row, ours: [] as Measurement[], other: [] as Measurement[] };
  for (let round = 0; round < rounds; round += 1) {
    const isOursFirst = round % 2 === 0;
    if (isOursFirst) result.ours.push(await ours.measure());
    if (other) result.other.push(await other.measure());
    if (!isOursFirst) result.ours.push(await ours.measure());
    console.error(`  ${ours.name}: round ${round + 1} of ${rounds}, ${soFar(result)}`);
  }
  return result;
}

/** How the last round went. */
function soFar({ ours, other }: RowResult): string {
  const [mine, theirs] = [ours.at(-1), other.at(-1)];
  if (mine && theirs) return (mine.perSecond / theirs.perSecond).toFixed(2);
  return `p50 ${mine?.p50Ms?.toFixed(1)} ms, p99 ${mine?.p99Ms?.toFixed(1)} ms`;
}

async function runBench(bench: Bench): Promise<RowResult[]> {
  console.error(`${bench.title} …`);
  const { stage, close } = createStage(Number(options.seconds) * 1_000);
  try {
    const results: RowResult[] = [];
    for (const row of await bench.rows(stage)) {
      results.push(await measureRow(row, Number(options.rounds)));
    }
    return results;
  } finally {
    await close();
  }
}

async function main(): Promise<void> {
  const results: RowResult[] = [];
  for (const name of chosenNames()) {
    const { bench } = (await import(new URL(name + ENDING, FOLDER).href)) as { bench: Bench };
    results.push(...(await runBench(bench)));
  }
  const model = cpus()[0]?.model ?? "";
  console.log(`\nNode ${process.version}, ${availableParallelism()} × ${model}; ours / the other,`);
  console.log(`median of ${options.rounds} rounds of ${options.seconds} s, low..high\n`);
  console.log(tableOf(results));
  const failures = results.flatMap(failuresOf);
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

await main();
