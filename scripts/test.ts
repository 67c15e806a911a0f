/** Runs the checks, then every *.test.ts in parallel against one PostgreSQL of its own. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBrowser } from "../packages/console/testing/browser.ts";
import {
  CITUS_TEST_SHARDS,
  findCitus,
  startCitusCluster,
} from "../packages/server/testing/citus.ts";
import { isForCitus } from "../packages/server/testing/citus-exclusions.ts";
import { startCluster, type TestCluster } from "../packages/server/testing/cluster.ts";
import type { Occasion } from "../packages/server/testing/program.ts";
import { BUNDLE_VARIABLE, TEST_PROGRAMS } from "../packages/server/testing/source-process.ts";
import { bundleTests, type TestBundle } from "./bundle-tests.ts";
import { groupTests } from "./test-groups.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const isLong = process.argv.includes("--long");
/** On a Citus of a coordinator and two workers instead of one PostgreSQL. */
const isCitus = process.argv.includes("--citus");
/** The longest of the long ones is a year in an hour (test/year.long.test.ts). */
const PROCESS_TIMEOUT_MS = isLong ? 5_400_000 : isCitus ? 900_000 : 600_000;
/**
 * Tests also wait, for processes, disks and leases: one process more than there are cores. The long ones
 * start several servers each and keep the cores busy.
 */
const PROCESSES_AT_ONCE = isLong
  ? Math.max(1, Math.floor(availableParallelism() / 2))
  : availableParallelism() + 1;
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

function findTests(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === "node_modules" || entry.name === "dist" ? [] : findTests(path);
    }
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

function allTests(): string[] {
  return ["packages", "scripts", "bench"]
    .flatMap((folder) => findTests(join(ROOT, folder)))
    .map((path) => relative(ROOT, path));
}

/** Files that launch a browser. */
const BROWSER_TESTS = /^packages\/console\/|\/reference\//;

/** These take longest, most of it waiting. Begun last, they would keep one core busy at the end. */
const LONGEST = [
  "packages/server/src/app/startup/program.test.ts",
  "packages/server/src/core/queue/takeover.test.ts",
  "packages/server/src/core/queue/jobs-lane.test.ts",
  "packages/server/src/http/server/errors.test.ts",
];

/** `x.long.test.ts` runs with `npm run test:long` only, `x.citus.test.ts` with `npm run test:citus` only. */
function chosen(all: readonly string[]): string[] {
  const kind = all.filter(
    (path) =>
      path.endsWith(".long.test.ts") === isLong &&
      (isCitus ? isForCitus(path) : !path.endsWith(".citus.test.ts")),
  );
  const wanted =
    only.length === 0 ? kind : kind.filter((path) => only.some((part) => path.includes(part)));
  const isLongest = (path: string) => LONGEST.includes(path);
  return [...wanted.filter(isLongest), ...wanted.filter((path) => !isLongest(path))];
}

/** Runs a command to its end. A signal ends the command first, so that the database is stopped. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return new Promise<number>((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: "inherit" });
    const end = () => child.kill("SIGTERM");
    process.on("SIGINT", end);
    process.on("SIGTERM", end);
    child.on("exit", (code) => {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      resolve(code ?? 1);
    });
  });
}

/**
 * What runs a second time on four shards: one file of each kind of statement, because every
 * account of the first run lives on the only shard there is.
 */
const ON_FOUR_SHARDS = [
  "packages/server/src/network/carriers/conformance.test.ts",
  "packages/server/src/people/consent/consent.test.ts",
  "packages/server/src/messaging/send/live.test.ts",
  "packages/server/src/messaging/messages/list.test.ts",
  "packages/server/src/messaging/send/sandbox.test.ts",
  "packages/server/src/messaging/scheduled-messages/schedule.test.ts",
  "packages/server/test/examples.test.ts",
];

function runTests(
  bundle: TestBundle,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const order = {
    files: inProcesses(files).map((group) => bundle.together(group)),
    concurrency: PROCESSES_AT_ONCE,
    timeout: PROCESS_TIMEOUT_MS,
  };
  const args = ["--enable-source-maps", "scripts/run-tests.mjs", JSON.stringify(order)];
  return run(process.execPath, args, env);
}

/** Long tests, and those that take longest, have a process each. */
function inProcesses(files: readonly string[]): string[][] {
  if (isLong || isCitus) return files.map((file) => [file]);
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

async function main(): Promise<number> {
  if (isCitus) {
    const found = await findCitus();
    if ("missing" in found) {
      console.error(found.missing);
      return 2;
    }
  }
  const all = allTests();
  const files = chosen(all);
  if (files.length === 0) {
    console.error(`No test file has ${only.join(" or ")} in its path.`);
    return 2;
  }
  if (only.length === 0 && !isCitus) {
    console.error("Checking types, style and generated files …");
    const checked = await run("npm", ["run", "--silent", "check"]);
    if (checked !== 0) return checked;
  }
  if (files.some((file) => BROWSER_TESTS.test(file))) ensureBrowser();
  const built = await run(process.execPath, ["scripts/build.mjs"]);
  if (built !== 0) return built;
  const bundle = await bundleTests(ROOT, [...all, ...TEST_PROGRAMS]);
  try {
    return await runBundle(bundle, files);
  } finally {
    bundle.remove();
  }
}

async function runBundle(bundle: TestBundle, files: readonly string[]): Promise<number> {
  const { cluster, stop, shards } = isCitus ? await openCitus() : await openOne();
  try {
    const env = {
      ...process.env,
      LONGWAVE_TEST_CLUSTER: JSON.stringify(cluster),
      ...(shards === undefined ? {} : { LONGWAVE_TEST_SHARDS: shards }),
      [BUNDLE_VARIABLE]: bundle.folder,
    };
    const failed = await runTests(bundle, files, env);
    if (isCitus) return failed;
    if (failed !== 0 || isLong || only.length > 0) return failed;
    console.error("Once more on four shards …");
    return await runTests(bundle, ON_FOUR_SHARDS, { ...env, LONGWAVE_TEST_SHARDS: "4" });
  } finally {
    await stop();
  }
}

process.exitCode = await main();
