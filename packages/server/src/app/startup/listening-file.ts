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
  await writePrivate(file, text);
  return async () => {
    const current = await readFile(file, "utf8").catch(() => "");
    if (current === text) await rm(file, { force: true });
  };
}

/** URL of the server that runs in this data folder; null when none was recorded. */
export async function readListening(folder: string): Promise<string | null> {
  try {
    const { url } = JSON.parse(await readFile(join(folder, LISTENING_FILE), "utf8")) as {
      url?: unknown;
    };
    return typeof url === "string" && URL.canParse(url) ? url : null;
  } catch {
    return null;
  }
}
