import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { errorCode } from "./failure.ts";

const PS_MS_MAX = 5_000;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** Sends a signal; ignores a process that has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/**
 * Whether the process is the postmaster of this cluster. Process ids are reused, in a restarted container almost at
 * once, so the id alone proves nothing. A zombie has no command line and counts as dead.
 */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await commandLine(pid);
  return command.includes("/postgres -D ") && command.includes(` ${cluster} `);
}

/** The arguments, each followed by a blank. */
async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === "linux") {
      return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
    }
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", `${pid}`], {
      timeout: PS_MS_MAX,
    });
    return `${stdout.trim()} `;
  } catch {
    return "";
  }
}

/**
 * Server processes of this cluster whose postmaster is gone. Linux only; other systems wait for their end.
 */
export async function orphansOf(cluster: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const orphans: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const cwd = await readlink(`/proc/${name}/cwd`);
      const title = await readFile(`/proc/${name}/cmdline`, "utf8");
      if (cwd === cluster && title.startsWith("postgres:")) orphans.push(Number(name));
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return orphans;
}
