import type { Database } from "../db/database.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { markKeysUsed } from "./sql.ts";

const MINUTE_MS = 60_000;
/** What was noted is written together, this long after the first. */
const WRITE_AFTER_MS = 1_000;
const KEYS_MAX = 10_000;

/** Remembers when each key was last used, to the minute. */
export interface KeyUses {
  /** Says that a key is in use. Costs no query: it is written later, at most once a minute. */
  note(keyId: string): void;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

export function createKeyUses(db: Database, clock: Clock, log: Log): KeyUses {
  /** The minute for which each key has been noted. */
  const noted = new Map<string, number>();
  let unwritten = new Set<string>();
  let forgo: (() => void) | null = null;
  let writing = Promise.resolve();

  const write = async () => {
    forgo = null;
    const ids = [...unwritten];
    if (ids.length === 0) return;
    unwritten = new Set();
    const minutes = ids.map((id) => new Date(noted.get(id) ?? 0));
    try {
      await db.query(markKeysUsed, [ids, minutes]);
    } catch (error) {
      log.warn({ err: error }, "when keys were last used could not be written");
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
      forgo ??= clock.after(WRITE_AFTER_MS, () => {
        writing = write();
      });
    },
    async close() {
      forgo?.();
      await writing;
      await write();
    },
  };
}
