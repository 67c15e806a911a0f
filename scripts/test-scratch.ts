/**
 * The folder for the temporary files of a test run: databases, data folders, logs. In memory where there is room,
 * because making and removing a database's thousand files is half of what a test server costs on a disk.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
const PREFIX = "lw-run-";
const GIB = 1024 ** 3;
/** A run needs about 2 GiB of files, and its processes 2 GiB of memory beside them. */
const FREE_FILES_MIN_BYTES = 4 * GIB;
const FREE_MEMORY_MIN_BYTES = 6 * GIB;

export interface Scratch {
  readonly folder: string;
  remove(): void;
}

export function makeScratch(): Scratch {
  const parent = hasRoomInMemory() ? IN_MEMORY : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // PostgreSQL runs as an account that owns nothing here.
  chmodSync(folder, 0o755);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }) };
}

/** PostgreSQL's programs are copied into data folders, so a mount that forbids programs is of no use. */
function hasRoomInMemory(): boolean {
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const mount = mounts.map((line) => line.split(" ")).find(([, path]) => path === IN_MEMORY);
    if (mount?.[2] !== "tmpfs" || mount[3]?.split(",").includes("noexec")) return false;
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    const available = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"));
    const memoryBytes = Number(available?.[1] ?? 0) * 1024;
    return bavail * bsize >= FREE_FILES_MIN_BYTES && memoryBytes >= FREE_MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}

/** A run that was killed removes nothing. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
