import type pg from "pg";
import { connected } from "../../core/db/driver/client.ts";
import {
  compareIdentity,
  type LastSeen,
  readLastSeen,
} from "../../core/db/driver/database-identity.ts";
import { expect, StartFailure } from "../../core/platform/assert.ts";
import {
  readBackupMark,
  readLastSeenFile,
  removeBackupMark,
  writeLastSeenFile,
} from "./last-seen-file.ts";

/** Identity that the database stores. */
export interface IdentityRow {
  readonly home: string | null;
  readonly timeline: number | null;
  readonly held_reason: string | null;
}

const LOCK = "select home, timeline, held_reason from database_identity for update";
const SETTLE = "update database_identity set home = $1, timeline = $2";
const HOLD =
  "update database_identity set held_since = now(), held_reason = $1 where held_since is null";

/** Result of the check at the start. */
export interface IdentityVerdict {
  readonly seen: LastSeen;
  /** Reason for the restore guard; null if it is not set. */
  readonly held: string | null;
}

/**
 * Checks at the start whether this is the database that the installation last used, and stores the result.
 */
export async function checkDatabaseIdentity(
  config: pg.ClientConfig,
  folder: string,
): Promise<IdentityVerdict> {
  return connected(config, async (client) => {
    await client.query("begin");
    const row = expect((await client.query<IdentityRow>(LOCK)).rows[0], "there is no home");
    const seen = await readLastSeen(client);
    const madeAt = await readBackupMark(folder);
    const reason =
      row.held_reason ?? whyGuarded({ row, seen, madeAt, stamp: await readLastSeenFile(folder) });
    if (reason === null) await client.query(SETTLE, [seen.home, seen.timeline]);
    else await client.query(HOLD, [reason]);
    await client.query("commit");
    if (reason === null) await writeLastSeenFile(folder, seen);
    if (madeAt !== null) await removeBackupMark(folder);
    return { seen, held: reason };
  });
}

/** Sets the restore guard by hand, for a copy that no check can distinguish from its original. */
export async function holdByHand(config: pg.ClientConfig): Promise<void> {
  await connected(config, (client) =>
    client.query(HOLD, ["The operator put the installation on hold."]),
  );
}

/** Reason for the restore guard, as a sentence; null if the database is the expected one. */
export function whyGuarded(found: {
  readonly row: IdentityRow;
  readonly seen: LastSeen;
  readonly stamp: LastSeen | null;
  readonly madeAt: string | null;
}): string | null {
  const { row, seen, madeAt } = found;
  if (madeAt !== null) return `The data folder was made from a backup of ${madeAt}.`;
  if (row.home === null) return null;
  if (row.home !== seen.home) {
    return "The database was made on another PostgreSQL than the one it is on now: it was restored from a dump.";
  }
  const stamp = found.stamp?.home === seen.home ? found.stamp : null;
  const verdict = stamp === null ? "same" : compareIdentity(stamp, seen);
  if (verdict === "old_primary") {
    throw new StartFailure(
      "DATABASE_URL names a primary that has been replaced since this machine last used it. Name the one that replaced it, and do not write to this one.",
    );
  }
  if (verdict === "restored") {
    return "The database is older than what this machine last saw of it: it was restored.";
  }
  // A promoted standby: a process that saw the last heartbeat proves that nothing is missing.
  if (row.timeline !== seen.timeline && stamp === null) {
    return "The database was restored, or a standby took its place, while nothing of Longwave ran that could tell which.";
  }
  return null;
}
