/**
 * Runs the benchmarks named on the command line, or all that are not long, and exits with a failure if a
 * limit was exceeded. Rounds of two contenders alternate, so that a busy moment of the machine affects both;
 * only their ratio counts.
 */
import { readdirSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Bench, Check, Measurement, Row } from "./define.ts";
import { createStage } from "./stage.ts";
import {
  checkFailuresOf,
  checksTableOf,
  failuresOf,
  type RowResult,
  ratioOf,
  tableOf,
} from "./table.ts";

const FOLDER = new URL("./", import.meta.url);
const ENDING = ".bench.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    rows: { type: "string", default: "5000000" },
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
  // The first round warms up and is not counted.
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

/** Summary of the last round. */
function soFar({ row, ours, other }: RowResult): string {
  const [mine, theirs] = [ours.at(-1), other.at(-1)];
  if (mine && theirs) return ratioOf(row, mine, theirs).toFixed(2);
  return `p50 ${mine?.p50Ms?.toFixed(1)} ms, p99 ${mine?.p99Ms?.toFixed(1)} ms`;
}

/** Results of one benchmark, or of all. */
interface Outcome {
  readonly results: RowResult[];
  readonly checks: Check[];
}

async function runBench(bench: Bench): Promise<Outcome> {
  console.error(`${bench.title} …`);
  const measureMs = Number(options.seconds) * 1_000;
  const { stage, close } = createStage({ measureMs, storedRows: Number(options.rows) });
  try {
    const results: RowResult[] = [];
    for (const row of (await bench.rows?.(stage)) ?? []) {
      results.push(await measureRow(row, Number(options.rounds)));
    }
    return { results, checks: [...((await bench.checks?.(stage)) ?? [])] };
  } finally {
    await close();
  }
}

function print({ results, checks }: Outcome): void {
  const model = cpus()[0]?.model ?? "";
  console.log(`\nNode ${process.version}, ${availableParallelism()} × ${model}; ours / the other,`);
  console.log(`median of ${options.rounds} rounds of ${options.seconds} s, low..high\n`);
  if (results.length > 0) console.log(tableOf(results));
  if (checks.length > 0) console.log(`\n${checksTableOf(checks)}`);
}

async function main(): Promise<void> {
  const all: Outcome = { results: [], checks: [] };
  for (const name of chosenNames()) {
    const { bench } = (await import(new URL(name + ENDING, FOLDER).href)) as { bench: Bench };
    if (bench.isLong && !positionals.includes(name)) continue;
    const { results, checks } = await runBench(bench);
    all.results.push(...results);
    all.checks.push(...checks);
  }
  print(all);
  const failures = [...all.results.flatMap(failuresOf), ...checkFailuresOf(all.checks)];
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

await main();
