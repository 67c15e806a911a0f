import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ClientConfig } from "pg";
import { nodeArguments, ROOT } from "./source-process.ts";

const program = fileURLToPath(new URL("./server-child.ts", import.meta.url));

export interface ServingProcess {
  readonly url: string;
  /** Kills it with SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
}

/** Starts another server of the installation in a separate process. */
export async function spawnServing(
  connection: ClientConfig,
  env: Readonly<Record<string, string>>,
): Promise<ServingProcess> {
  const args = [...nodeArguments(program), JSON.stringify(connection), JSON.stringify(env)];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const { value: url } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  if (typeof url !== "string") throw new Error("The server did not start.");
  return { url, kill };
}
