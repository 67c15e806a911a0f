import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lifetime } from "./kit.ts";

/** Paths of the memory limit in the two versions of control groups. */
const GROUPS = [
  { parent: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { parent: "/sys/fs/cgroup", limit: "memory.max" },
] as const;
const REMOVE_TRIES_MAX = 50;
const REMOVE_EVERY_MS = 100;

/** Memory limit of a process. */
export interface BoundedMemory {
  /** `cgroup`: the kernel kills a process above the limit. `watching`: the peak is only measured. */
  readonly by: "cgroup" | "watching";
  /** Peak memory of the process. */
  peakMb(): Promise<number>;
}

export async function boundMemory(t: Lifetime, pid: number, mbMax: number): Promise<BoundedMemory> {
  const isBound = await enterGroup(t, pid, mbMax);
  return { by: isBound ? "cgroup" : "watching", peakMb: () => peakMbOf(pid) };
}

export async function peakMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024);
}

/** Puts the process into a limited group. Needs root and writable control groups. */
async function enterGroup(t: Lifetime, pid: number, mbMax: number): Promise<boolean> {
  for (const { parent, limit } of GROUPS) {
    const group = join(parent, `longwave-test-${pid}`);
    try {
      await mkdir(group);
    } catch {
      continue;
    }
    t.after(() => removeGroup(group));
    try {
      await access(join(group, limit));
      await writeFile(join(group, limit), String(mbMax * 1_024 * 1_024));
      await writeFile(join(group, "cgroup.procs"), String(pid));
      return true;
    } catch {
      // Without its own limit the group bounds nothing.
    }
  }
  return false;
}

/** Removes the group; that works only after its last process has ended. */
async function removeGroup(group: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES_MAX; tries += 1) {
    try {
      await rmdir(group);
      return;
    } catch {
      await sleep(REMOVE_EVERY_MS);
    }
  }
}
