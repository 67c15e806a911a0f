import type { Database } from "../../core/db/driver/database.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import { markKeysUsed } from "./sql.ts";

const MINUTE_MS = 60_000;
/** Delay in ms after the first use of a group before the group is written. */
const WRITE_AFTER_MS = 1_000;
const KEYS_MAX = 10_000;

/** Records each key's last use, to the minute. */
export interface KeyUses {
  /** Notes a use of a key without a query: a group write follows, at most once a minute per key. */
  note(keyId: string): void;
  /** Writes the waiting uses. */
  close(): Promise<void>;
}

export function createKeyUses(db: Database, clock: Clock, log: Log): KeyUses {
  /** Minute last noted, by key. */
  const noted = new Map<string, number>();
  let unwritten = new Set<string>();
  let cancel: (() => void) | null = null;
  let writing = Promise.resolve();

  const write = async () => {
    cancel = null;
    const ids = [...unwritten];
    if (ids.length === 0) return;
    unwritten = new Set();
    const minutes = ids.map((id) => new Date(noted.get(id) ?? 0));
    try {
      await db.query(markKeysUsed, [ids, minutes]);
    } catch (error) {
      log.warn({ err: error }, "keys: last uses not written");
      // The next use notes it again.
      for (const id of ids) noted.delete(id);
    }
  };
  return {
    note(keyId) {
      const minute = Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS;
      if (noted.get(keyId) === minute) return;
      if (noted.size >= KEYS_MAX) noted.clear();
      noted.set(keyId, minute);
      unwritten.add(keyId);
      cancel ??= clock.after(WRITE_AFTER_MS, () => {
        writing = write();
      });
    },
    async close() {
      cancel?.();
      await writing;
      await write();
    },
  };
}
