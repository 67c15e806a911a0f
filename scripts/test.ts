/** Runs the checks, then a tier's test files in parallel against one PostgreSQL of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBrowser } from "../packages/console/testing/browser.ts";
import {
  CITUS_TEST_SHARDS,
  findCitus,
  startCitusCluster,
} from "../packages/server/testing/citus.ts";
import { startCluster, type TestCluster } from "../packages/server/testing/cluster.ts";
import { PORT_CLAIMS_VARIABLE, portClaims } from "../packages/server/testing/free-port.ts";
import type { Occasion } from "../packages/server/testing/program.ts";
import { BUNDLE_VARIABLE, TEST_PROGRAMS } from "../packages/server/testing/source-process.ts";
import { bundleTests, type TestBundle } from "./bundle-tests.ts";
import { changedSince, testsOfChanges } from "./changed-tests.ts";
import { allTests, type Tier, testsOf } from "./test-files.ts";
import { groupTests } from "./test-groups.ts";
import { makeScratch } from "./test-scratch.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SLOWEST_SHOWN = 10;

interface Order {
  readonly tier: Tier;
  /** Parts of paths; all files of the tier when empty. */
  readonly parts: readonly string[];
  /** A commit: files whose inputs changed since then. */
  readonly since: string | null;
}

interface Results {
  readonly counts: { passed: number; failed: number; skipped: number };
  readonly msByFile: Record<string, number>;
  /** Each outermost test. */
  readonly outermost: readonly {
    readonly name: string;
    readonly ms: number;
    readonly outcome: "held" | "FAILED" | "skipped";
  }[];
  /** Place, name and error of each failed test; not all of many. */
  readonly failures: readonly string[];
}

/** The longest of the long ones is a year in an hour (test/year.long.test.ts). */
const PROCESS_TIMEOUT_MS: Record<Tier, number> = {
  quick: 600_000,
  slow: 600_000,
  citus: 900_000,
  long: 5_400_000,
};

/** Files that launch a browser. */
const BROWSER_TESTS = /^packages\/console\/test\/|\/reference\/browser/;

/** Begun last, these would keep one core busy at the end. */
const LONGEST = ["packages/console/test/smoke.test.ts", "packages/cli/test/cli.test.ts"];

/** Folders whose quick tests the slow tier runs again on four shards: their statements depend most on the shard. */
const FOLDERS_ON_FOUR_SHARDS = [
  "packages/server/src/account/",
  "packages/server/src/people/",
  "packages/server/src/messaging/batches/",
  "packages/server/src/events/webhooks/",
];
/** One file of each other kind of statement. */
const FILES_ON_FOUR_SHARDS = [
  "packages/server/src/network/carriers/conformance.test.ts",
  "packages/server/src/messaging/send/live.test.ts",
  "packages/server/src/messaging/messages/list.test.ts",
  "packages/server/src/messaging/send/sandbox.test.ts",
  "packages/server/src/messaging/scheduled-messages/schedule.test.ts",
  "packages/server/test/examples-walk.slow.test.ts",
];

function readOrder(args: readonly string[]): Order {
  const tier = (["slow", "long", "citus"] as const).find((name) => args.includes(`--${name}`));
  const at = args.indexOf("--since");
  const since = at < 0 ? null : (args[at + 1] ?? "HEAD");
  const parts = args.filter(
    (argument, index) => !argument.startsWith("--") && (at < 0 || index !== at + 1),
  );
  return { tier: tier ?? "quick", parts, since };
}

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Ends the command early. */
  readonly signal?: AbortSignal | undefined;
  hear?(message: unknown): void;
}

/** Passes signals on to a child until it ends. */
function endWithUs(child: ChildProcess, signal?: AbortSignal): void {
  const end = () => child.kill("SIGTERM");
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  child.on("exit", () => {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
    signal?.removeEventListener("abort", end);
  });
}

/** Runs a command to its end. A signal ends the command first, so that the database is stopped. */
function run(
  command: string,
  args: readonly string[],
  { env = process.env, signal, hear }: RunOptions = {},
) {
  return new Promise<number>((resolve) => {
    const stdio = hear ? (["inherit", "inherit", "inherit", "ipc"] as const) : "inherit";
    const child = spawn(command, args, { cwd: ROOT, env, stdio: stdio as "inherit" });
    if (hear) child.on("message", hear);
    endWithUs(child, signal);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

interface Checks {
  /** Exit status. */
  readonly done: Promise<number>;
  /** Aborted by a failure. */
  readonly failed: AbortSignal;
}

/**
 * Checks beside the tests, whose first minute leaves a core idle now and then. The output comes in one piece, so that
 * it lies between two lines of the tests. A failure ends the tests.
 */
function startChecks(): Checks {
  console.error("Checking types, style and generated files beside the tests …");
  const child = spawn("npm", ["run", "--silent", "check"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithUs(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const failing = new AbortController();
  const done = new Promise<number>((resolve) => {
    child.on("close", (code) => {
      console.error(`${output.trimEnd()}\n${code === 0 ? "Checked." : "The checks failed."}`);
      if (code !== 0) failing.abort();
      resolve(code ?? 1);
    });
  });
  return { done, failed: failing.signal };
}

/**
 * Tests also wait, for PostgreSQL, processes and timers: two processes more than there are cores. The long ones
 * start several servers each and keep the cores busy.
 */
function processesAtOnce(tier: Tier): number {
  const cores = availableParallelism();
  return tier === "long" ? Math.max(1, Math.floor(cores / 2)) : cores + 2;
}

async function runTests(
  bundle: TestBundle,
  tier: Tier,
  files: readonly string[],
  { env, signal }: Pick<RunOptions, "env" | "signal">,
): Promise<{ code: number; results: Results | null }> {
  const order = {
    files: inProcesses(tier, files).map((group) => bundle.together(group)),
    concurrency: processesAtOnce(tier),
    timeout: PROCESS_TIMEOUT_MS[tier],
  };
  const args = ["--enable-source-maps", "scripts/run-tests.mjs", JSON.stringify(order)];
  let results: Results | null = null;
  const hear = (message: unknown) => {
    results = message as Results;
  };
  return { code: await run(process.execPath, args, { env, signal, hear }), results };
}

/** Only quick files share processes. */
function inProcesses(tier: Tier, files: readonly string[]): string[][] {
  if (tier !== "quick") return files.map((file) => [file]);
  const isLongest = (file: string) => LONGEST.includes(file);
  const others = files.filter((file) => !isLongest(file));
  return [...files.filter(isLongest).map((file) => [file]), ...groupTests(ROOT, others)];
}

interface OpenCluster {
  readonly cluster: TestCluster;
  readonly shards?: string;
  stop(): Promise<void>;
}

async function openOne(): Promise<OpenCluster> {
  console.error("Starting PostgreSQL for the tests …");
  return startCluster();
}

async function openCitus(): Promise<OpenCluster> {
  const found = await findCitus();
  if ("missing" in found) throw new Error(found.missing);
  console.error("Starting Citus for the tests: a coordinator and two workers …");
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends) await end();
  };
  try {
    const after = (end: () => Promise<void>) => void ends.push(end);
    const cluster = await startCitusCluster({ after } as Occasion, found.bin);
    return { cluster, shards: String(CITUS_TEST_SHARDS), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function main(order: Order): Promise<number> {
  if (order.tier === "citus") {
    const found = await findCitus();
    if ("missing" in found) {
      console.error(found.missing);
      return 2;
    }
  }
  const all = allTests(ROOT);
  const files = testsOf(all, order.tier, order.parts);
  if (files.length === 0) {
    console.error(`No test file has ${order.parts.join(" or ")} in its path.`);
    return 2;
  }
  const changed = order.since === null ? null : changedSince(ROOT, order.since);
  const isWhole = order.tier === "quick" && order.parts.length === 0 && changed === null;
  if (files.some((file) => BROWSER_TESTS.test(file))) ensureBrowser();
  const checks = isWhole ? startChecks() : null;
  return inScratch(async () => {
    const opening = order.tier === "citus" ? openCitus() : openOne();
    // At once: each leaves a core idle for much of its time.
    const [built, bundle, opened] = await Promise.all([
      run(process.execPath, ["scripts/build.mjs"]),
      bundleTests(ROOT, [...bundledFiles(order, all, files), ...TEST_PROGRAMS]),
      opening,
    ]).catch(async (error: unknown) => {
      await opening.then(({ stop }) => stop());
      throw error;
    });
    try {
      if (built !== 0) return built;
      const chosen = changed ? testsOfChanges(bundle.inputs, files, changed) : files;
      if (changed)
        console.error(`${chosen.length} of ${files.length} files depend on the changes.`);
      if (chosen.length === 0) return end([]);
      const status = await runBundle(bundle, opened, order, chosen, checks);
      return (await checks?.done) || status;
    } finally {
      bundle.remove();
      await opened.stop();
    }
  });
}

/** Changes are looked up in the inputs of all files; slow and long tests run files of other tiers. */
function bundledFiles(
  { tier, parts, since }: Order,
  all: readonly string[],
  files: readonly string[],
) {
  const needsOthers = since !== null || (tier !== "quick" && parts.length === 0);
  return needsOthers ? all : files;
}

/** Everything temporary of this process and its children lies in one folder. */
async function inScratch<T>(work: () => Promise<T>): Promise<T> {
  process.env[PORT_CLAIMS_VARIABLE] = portClaims();
  const scratch = makeScratch();
  process.env["TMPDIR"] = scratch.folder;
  try {
    return await work();
  } finally {
    scratch.remove();
  }
}

async function runBundle(
  bundle: TestBundle,
  { cluster, shards }: OpenCluster,
  { tier, parts, since }: Order,
  files: readonly string[],
  checks: Checks | null,
): Promise<number> {
  const runs: Awaited<ReturnType<typeof runTests>>[] = [];
  const env = {
    ...process.env,
    LONGWAVE_TEST_CLUSTER: JSON.stringify(cluster),
    ...(shards === undefined ? {} : { LONGWAVE_TEST_SHARDS: shards }),
    [BUNDLE_VARIABLE]: bundle.folder,
  };
  const signal = checks?.failed;
  runs.push(await runTests(bundle, tier, files, { env, signal }));
  if (tier === "slow" && parts.length === 0 && since === null) {
    console.error("Files of the quick tier on four shards …");
    const onFour = { ...env, LONGWAVE_TEST_SHARDS: "4" };
    const inFolders = testsOf(allTests(ROOT), "quick", FOLDERS_ON_FOUR_SHARDS);
    const again = [...FILES_ON_FOUR_SHARDS, ...inFolders];
    runs.push(await runTests(bundle, "quick", again, { env: onFour }));
  }
  // The last line has the counts.
  await checks?.done;
  if (runs.some(({ results }) => results === null)) {
    console.error("The test runner ended before its tests did.");
    return 1;
  }
  if (tier === "long") showWhatHeld(runs.flatMap(({ results }) => results?.outermost ?? []));
  const code = end(runs.flatMap(({ results }) => (results === null ? [] : [results])));
  return runs.find((each) => each.code !== 0)?.code ?? code;
}

/** Long tests are promises about hours of operation: one line for each. */
function showWhatHeld(tests: Results["outermost"]): void {
  const rows = tests.map(({ name, ms, outcome }) => {
    const seconds = `${(ms / 1_000).toFixed(0)} s`;
    return `  ${outcome.padEnd(7)}  ${seconds.padStart(7)}  ${name}`;
  });
  console.log(["Outcomes:", ...rows.sort()].join("\n"));
}

/**
 * Ends the output with the failures, the slowest files and, alone on the last line, the counts of the whole run. Often
 * only the end of a long log is kept.
 */
function end(results: readonly Results[]): number {
  const failures = results.flatMap((each) => each.failures);
  if (failures.length > 0) console.log(`Failures:\n${failures.join("\n")}`);
  const times = results.flatMap(({ msByFile }) => Object.entries(msByFile));
  const slowest = times.sort((a, b) => b[1] - a[1]).slice(0, SLOWEST_SHOWN);
  if (slowest.length > 0) console.log("Slowest files:");
  for (const [file, ms] of slowest) {
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${relative(ROOT, file)}`);
  }
  const sum = (name: keyof Results["counts"]) =>
    results.reduce((total, { counts }) => total + counts[name], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
  return sum("failed") === 0 ? 0 : 1;
}

process.exitCode = await main(readOrder(process.argv.slice(2)));
