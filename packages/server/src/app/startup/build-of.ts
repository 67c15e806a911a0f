import { stat } from "node:fs/promises";

/** Identifies the build of the program's file. A process restarted after an upgrade on disk has another one. */
export async function buildOf(mainFile: string | undefined): Promise<string> {
  if (mainFile === undefined) return "";
  const { mtimeMs, size } = await stat(mainFile);
  return `${mtimeMs} ${size}`;
}
