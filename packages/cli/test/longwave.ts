import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeArguments } from "../../server/testing/source-process.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const BUILT = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** `npm test` has just built the command line, whose small chunks load fastest; a file that runs alone takes the source. */
export function commandLineArguments(): string[] {
  return process.env["LONGWAVE_TEST_CLUSTER"] ? [BUILT] : nodeArguments(MAIN);
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLine {
  /** Runs `longwave …` to its end. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs it and parses its JSON output. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  json(args: readonly string[], input?: string): Promise<any>;
  /** Starts it; the caller ends it. */
  start(args: readonly string[]): ReturnType<typeof spawn>;
  readonly folder: string;
}

/** A command line with an empty home folder. */
export function commandLine(
  t: Pick<TestContext, "after">,
  env: Record<string, string>,
): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), "lw-cli-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    LONGWAVE_CONFIG: join(folder, "config"),
    ...env,
  };
  // Runs from another folder, so that no data folder is found.
  const program = commandLineArguments().map((argument) =>
    argument === "tsx" ? import.meta.resolve("tsx") : argument,
  );
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [...program, ...args], { cwd: folder, env: environment });
  const run = (args: readonly string[], input = ""): Promise<Ended> => {
    const child = start(args);
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return new Promise((resolve) => {
      child.on("close", (code) => resolve({ code, ...output }));
    });
  };
  return {
    folder,
    run,
    start,
    async json(args, input) {
      const { code, stdout, stderr } = await run([...args, "--json"], input);
      if (code !== 0) throw new Error(`longwave ${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
