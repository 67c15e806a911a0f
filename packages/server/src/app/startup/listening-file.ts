import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writePrivate } from "../../core/platform/whole-file.ts";

/** Name of the file in the data folder that holds the URL of the running server. */
const LISTENING_FILE = "listening.json";

/**
 * Records where the server listens, so that commands in its folder find it at any PORT. The
 * returned function removes the file, unless another process has replaced it.
 */
export async function recordListening(folder: string, url: string): Promise<() => Promise<void>> {
  const file = join(folder, LISTENING_FILE);
  const text = `${JSON.stringify({ url, pid: process.pid })}\n`;
  // Useless after a power cut, and a flush takes up to tens of milliseconds.
  await writePrivate(file, text, false);
  return async () => {
    const current = await readFile(file, "utf8").catch(() => "");
    if (current === text) await rm(file, { force: true });
  };
}

export interface Listening {
  readonly url: string;
  readonly pid: number;
}

/** The server recorded in this data folder, which may have died since; null when there is none. */
export async function readListening(folder: string): Promise<Listening | null> {
  try {
    const { url, pid } = JSON.parse(
      await readFile(join(folder, LISTENING_FILE), "utf8"),
    ) as Partial<Record<keyof Listening, unknown>>;
    if (typeof url !== "string" || !URL.canParse(url)) return null;
    return Number.isInteger(pid) ? { url, pid: Number(pid) } : null;
  } catch {
    return null;
  }
}
