import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LastSeen } from "../../core/db/driver/database-identity.ts";
import { writePrivate } from "../../core/platform/whole-file.ts";

/**
 * What a data folder keeps of the database, outside of it: a database that is older than this has gone
 * back in time.
 */
const STAMP_FILE = "database-seen.json";
/** Lies in every backup, and so in every data folder that was made of one. */
export const BACKUP_MARK = "made-from-backup.json";

export async function readLastSeenFile(folder: string): Promise<LastSeen | null> {
  const found = await readJson(join(folder, STAMP_FILE));
  const { home, timeline, lastHeartbeatAtMs } = (found ?? {}) as Partial<LastSeen>;
  const isWhole =
    typeof home === "string" &&
    typeof timeline === "number" &&
    typeof lastHeartbeatAtMs === "number";
  return isWhole ? { home, timeline, lastHeartbeatAtMs } : null;
}

export async function writeLastSeenFile(folder: string, seen: LastSeen): Promise<void> {
  await writePrivate(join(folder, STAMP_FILE), `${JSON.stringify(seen)}\n`);
}

/** When the backup was made that the folder was made of; null when it was not. */
export async function readBackupMark(folder: string): Promise<string | null> {
  const found = (await readJson(join(folder, BACKUP_MARK))) as { made_at?: unknown } | null;
  if (found === null) return null;
  return typeof found.made_at === "string" ? found.made_at : "an unknown time";
}

/** The database remembers by now what the mark said. */
export async function removeBackupMark(folder: string): Promise<void> {
  await rm(join(folder, BACKUP_MARK), { force: true });
}

/** A file that is damaged says as little as one that is not there. */
async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
