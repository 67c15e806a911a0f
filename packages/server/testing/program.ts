import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const READY_MS_MAX = 60_000;
const END_MS_MAX = 40_000;
const POLL_MS = 25;

/** The server as its own process, as a person would start it. */
export interface Program {
  readonly child: ChildProcess;
  /** Everything it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Settles with the exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Waits until it says so, and gives the match; fails when it ends or takes too long. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: { readonly uid: number; readonly gid: number };
  readonly nodeArgs?: readonly string[];
  /** Another build's main.js instead of this one's. */
  readonly main?: string;
}

/** `npm test` has just built the program; a file that runs alone takes the source. */
function programArguments(): string[] {
  if (process.env["LONGWAVE_TEST_CLUSTER"]) return [join(PACKAGE, "dist/main.js")];
  return ["--import", "tsx", "--conditions=@longwave/source", join(PACKAGE, "src/app/main.ts")];
}

/** Lifetime of a program: a test, or all tests of a file. */
export type Occasion = Pick<TestContext, "after">;

export function startProgram(t: Occasion, options: ProgramOptions): Program {
  const program = options.main === undefined ? programArguments() : [options.main];
  const args = [...(options.nodeArgs ?? []), ...program, ...(options.args ?? [])];
  const child = spawn(process.execPath, args, {
    cwd: PACKAGE,
    env: { ...environment(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that a test can do to it what a terminal does.
    detached: true,
    ...(options.account ?? {}),
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, "close").then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await Promise.race([ended, sleep(END_MS_MAX, undefined, { ref: false })]);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async says(pattern) {
      let hasEnded = false;
      void ended.then(() => {
        hasEnded = true;
      });
      for (let waited = 0; waited < READY_MS_MAX; waited += POLL_MS) {
        const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (match) return match;
        if (hasEnded) break;
        await sleep(POLL_MS);
      }
      throw new Error(`The program never said ${pattern}:\n${output.stdout}${output.stderr}`);
    },
  };
}

/** Waits for the end; a program that does not come to it fails the test. */
export async function endOf(program: Program): Promise<number | NodeJS.Signals> {
  const late = sleep(END_MS_MAX, "late" as const, { ref: false });
  const how = await Promise.race([program.ended, late]);
  if (how === "late") throw new Error(`The program did not end:\n${program.stderr()}`);
  return how;
}

/** The settings of this process must not reach the program. */
function environment(): NodeJS.ProcessEnv {
  const kept = ["PATH", "HOME", "LANG", "TMPDIR"];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}
