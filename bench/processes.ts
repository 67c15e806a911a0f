import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const READY_MS_MAX = 60_000;

/** Starts one of our TypeScript programs; the input is written to it as JSON. */
export function startScript(file: string, input: unknown): ChildProcess {
  const args = ["--import", "tsx", "--conditions=@longwave/source", join(ROOT, "bench", file)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(input));
  return child;
}

/** All that a program prints before it ends. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A program of the benchmark ended with status ${code}.`);
  return output;
}

/** Runs a program of the system to its end. */
export async function run(program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  await outputOf(child);
}

/** The first match in what a program prints, while it goes on running. */
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
