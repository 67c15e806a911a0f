import { copyFile, open, rename, stat, truncate } from "node:fs/promises";

/** Maximum size of PostgreSQL's log, and of the previous one beside it. */
const LOG_BYTES_MAX = 4 * 1024 * 1024;
const CHECK_EVERY_MS = 60_000;
const TAIL_BYTES_MAX = 16 * 1024;

export async function logSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/**
 * Limits the log's size. PostgreSQL writes to the file directly, so that it survives a killed Longwave, and keeps it
 * open. So a full log is copied and truncated instead of renamed; both processes open it for appending.
 */
export async function boundLog(path: string): Promise<void> {
  if ((await logSize(path)) <= LOG_BYTES_MAX) return;
  const previous = `${path}.1`;
  await copyFile(path, `${previous}.new`);
  await truncate(path, 0);
  await rename(`${previous}.new`, previous);
}

/**
 * Checks the log's size regularly; returns a function that stops that. A failed check (disk full) is harmless, the next
 * one follows.
 */
export function watchLog(path: string): () => void {
  const timer = setInterval(() => {
    boundLog(path).catch(() => undefined);
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The last lines written after byte `from`. */
export async function readLog(path: string, from: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const start = Math.max(Math.min(from, size), size - TAIL_BYTES_MAX);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - start),
      0,
      size - start,
      start,
    );
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await file.close();
  }
}
