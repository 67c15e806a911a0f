import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { ClientConfig } from "pg";
import { nodeArguments, ROOT } from "./source-process.ts";

const program = fileURLToPath(new URL("./worker-child.ts", import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  /** Sends a signal, including signals that cannot be caught. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM; resolves when it claims no new work. */
  stopping(): Promise<void>;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts a worker in a separate process, killed when the test ends. */
export async function spawnWorker(
  t: TestContext,
  connection: ClientConfig,
  /** Settings of a worker with the server's lanes; without them it runs the journal's tasks. */
  env?: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<WorkerProcess> {
  const more = env === undefined ? [] : [JSON.stringify(env)];
  const args = [...nodeArguments(program, nodeOptions), JSON.stringify(connection), ...more];
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit").then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  if (!child.stdout || child.pid === undefined) throw new Error("The worker did not start.");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const expectLine = async (word: string) => {
    const line = await lines.next();
    if (line.value !== word) throw new Error(`The worker said ${line.value} instead of ${word}.`);
  };
  await expectLine("ready");
  return {
    pid: child.pid,
    signal: (signal) => child.kill(signal),
    stopping: async () => {
      child.kill("SIGTERM");
      await expectLine("stopping");
    },
    ended,
  };
}
