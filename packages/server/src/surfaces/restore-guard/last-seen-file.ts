import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LastSeen } from "../../core/db/driver/database-identity.ts";
import { writePrivate } from "../../core/platform/whole-file.ts";

/** Copy of the last heartbeat in the data folder. A database older than this has gone back in time. */
const STAMP_FILE = "database-seen.json";
/** Part of every backup, and so of every data folder restored from one. */
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

/** Time of the backup that the folder was restored from; null if it was not. */
export async function readBackupMark(folder: string): Promise<string | null> {
  const found = (await readJson(join(folder, BACKUP_MARK))) as { made_at?: unknown } | null;
  if (found === null) return null;
  return typeof found.made_at === "string" ? found.made_at : "an unknown time";
}

/** The database has stored the mark's fact by now. */
export async function removeBackupMark(folder: string): Promise<void> {
  await rm(join(folder, BACKUP_MARK), { force: true });
}

/** A damaged file counts as missing. */
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
