import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const EMPTY_MS_MAX = 40_000;
const POLL_MS = 25;

/** A data folder that goes away with the test, together with what still runs in it. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const { folder, remove } = await makeFolder();
  t.after(remove);
  return folder;
}

export async function makeFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "lw-program-"));
  await chmod(folder, 0o755);
  return {
    folder,
    async remove() {
      for (const pid of await processesIn(folder)) killIfThere(pid);
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Kills a process; false when it had already ended. */
export function killIfThere(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    return false;
  }
}

/** The processes that have to do with a folder: named on their command line, or working in it. */
export async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return pid !== process.pid && command.includes(folder) ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Waits until nothing has to do with the folder any more. */
export async function emptied(folder: string): Promise<void> {
  for (let waited = 0; waited < EMPTY_MS_MAX; waited += POLL_MS) {
    if ((await processesIn(folder)).length === 0) return;
    await sleep(POLL_MS);
  }
  throw new Error(`Processes are left in ${folder}: ${await processesIn(folder)}`);
}
