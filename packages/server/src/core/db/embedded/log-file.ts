import { copyFile, open, rename, stat, truncate } from "node:fs/promises";

/** PostgreSQL's log: at most this much, and as much again in the file before it. */
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
 * PostgreSQL writes straight into the file, so that it can go on when Longwave is killed. It keeps the
 * file open, hence a full one is copied and emptied instead of renamed; both open it for appending.
 */
export async function boundLog(path: string): Promise<void> {
  if ((await logSize(path)) <= LOG_BYTES_MAX) return;
  const previous = `${path}.1`;
  await copyFile(path, `${previous}.new`);
  await truncate(path, 0);
  await rename(`${previous}.new`, previous);
}

/** Returns the function that ends the watch. A failed check (a full disk, say) is tried again later. */
export function watchLog(path: string): () => void {
  const timer = setInterval(() => {
    boundLog(path).catch(() => undefined);
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The last lines that were written after `from`. */
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
