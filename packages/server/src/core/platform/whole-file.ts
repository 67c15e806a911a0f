import { link, rename, rm, writeFile } from "node:fs/promises";

/** Writes a private file whole or not at all, and never replaces a file that is there. */
export async function writeOnce(file: string, text: string): Promise<void> {
  const unfinished = await writeBeside(file, text);
  try {
    await link(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Writes or replaces a file whole or not at all; only its owner may read it. `flush`: it outlives a power cut. */
export async function writePrivate(file: string, text: string, flush = true): Promise<void> {
  await rename(await writeBeside(file, text, flush), file);
}

async function writeBeside(file: string, text: string, flush = true): Promise<string> {
  const unfinished = `${file}.new-${process.pid}`;
  await writeFile(unfinished, text, { mode: 0o600, flush });
  return unfinished;
}
