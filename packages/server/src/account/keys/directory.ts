import { hash } from "node:crypto";
import type { Mode, Scope } from "@longwave/contract";
import type { AccountRow, Principal } from "../api/caller.ts";
import type { Database } from "../db/database.ts";
import type { Notifications } from "../db/notifications.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { createKeyUses } from "./last-used.ts";
import { findKeyByHash } from "./sql.ts";

/** A cached key is at most this old, so a change holds everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;
const CACHE_KEYS_MAX = 10_000;
/** Of those in use right now the hash need not be computed at every request. */
const RECENT_KEYS_MAX = 1_000;

export interface KeyDirectory {
  /** The caller who has this key, if it was looked up a moment ago. */
  remembered(key: string): Principal | null;
  /** The same, read now by the key's SHA-256 if need be; null when there is none. */
  find(key: string): Promise<Principal | null>;
  /** Drops what is cached, for every process hears of a change at once. */
  forget(): void;
  /** Writes down which keys were used. */
  close(): Promise<void>;
}

interface Entry {
  readonly principal: Principal;
  readonly readAtMs: number;
}

type KeyRow = AccountRow & {
  key_id: string;
  key_name: string | null;
  mode: Mode;
  scopes: Scope[] | null;
};

export function createKeyDirectory(
  db: Database,
  clock: Clock,
  notifications: Notifications,
  log: Log,
): KeyDirectory {
  const uses = createKeyUses(db, clock, log);
  const cache = new Map<string, Entry>();
  const recent = new Map<string, Entry>();
  const reading = new Map<string, Promise<Principal | null>>();
  let generation = 0;

  const forget = () => {
    generation += 1;
    cache.clear();
    recent.clear();
    reading.clear();
  };
  const isFresh = (entry: Entry) => clock.monotonic() - entry.readAtMs < CACHE_AGE_MS_MAX;
  notifications.subscribe("longwave_cache", forget);

  const read = async (keyHash: string): Promise<Principal | null> => {
    const readAtMs = clock.monotonic();
    const before = generation;
    const [row] = await db.query<KeyRow>(findKeyByHash, [Buffer.from(keyHash, "base64")]);
    if (!row) return null;
    const principal = principalOf(row);
    // A key in use is read every second, so nothing need be noted at every request.
    uses.note(row.key_id);
    // A change told while we were reading may not be in what we read.
    if (before === generation) {
      if (cache.size >= CACHE_KEYS_MAX) cache.clear();
      cache.set(keyHash, { principal, readAtMs });
    }
    return principal;
  };
  return {
    forget,
    close: () => uses.close(),
    remembered(key) {
      const used = recent.get(key);
      if (used && isFresh(used)) return used.principal;
      const entry = cache.get(sha256(key));
      if (!entry || !isFresh(entry)) return null;
      if (recent.size >= RECENT_KEYS_MAX) recent.clear();
      recent.set(key, entry);
      return entry.principal;
    },
    find(key) {
      const keyHash = sha256(key);
      const under = reading.get(keyHash);
      if (under !== undefined) return under;
      const started = read(keyHash).finally(() => {
        if (reading.get(keyHash) === started) reading.delete(keyHash);
      });
      reading.set(keyHash, started);
      return started;
    },
  };
}

function sha256(key: string): string {
  return hash("sha256", key, "base64");
}

function principalOf(row: KeyRow): Principal {
  const { key_id, key_name, mode, scopes, ...account } = row;
  return {
    kind: "key",
    account,
    keyId: key_id,
    keyName: key_name,
    mode,
    scopes: scopes ? new Set(scopes) : null,
  };
}
