import type { Mode, Scope } from "@longwave/contract";
import type { AccountRow, Principal } from "../accounts/account-row.ts";
import type { Database } from "../db/database.ts";
import type { Notifications } from "../db/notifications.ts";
import type { Clock } from "../platform/clock.ts";
import { findKeyByHash } from "./sql.ts";

/** A cached key is at most this old, so a change holds everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;
const CACHE_KEYS_MAX = 10_000;

export interface KeyDirectory {
  /** The caller whose key has this SHA-256 (in base64), if it was read a moment ago. */
  remembered(hash: string): Principal | null;
  /** The same, read now if need be; null when there is none. */
  find(hash: string): Promise<Principal | null>;
  /** Drops what is cached, for every process hears of a change at once. */
  forget(): void;
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
): KeyDirectory {
  const cache = new Map<string, Entry>();
  const reading = new Map<string, Promise<Principal | null>>();
  let generation = 0;

  const forget = () => {
    generation += 1;
    cache.clear();
    reading.clear();
  };
  notifications.subscribe("longwave_cache", forget);

  const read = async (hash: string): Promise<Principal | null> => {
    const readAtMs = clock.monotonic();
    const before = generation;
    const [row] = await db.query<KeyRow>(findKeyByHash, [Buffer.from(hash, "base64")]);
    if (!row) return null;
    const principal = principalOf(row);
    // A change told while we were reading may not be in what we read.
    if (before === generation) {
      if (cache.size >= CACHE_KEYS_MAX) cache.clear();
      cache.set(hash, { principal, readAtMs });
    }
    return principal;
  };
  return {
    forget,
    remembered(hash) {
      const entry = cache.get(hash);
      const isFresh = entry && clock.monotonic() - entry.readAtMs < CACHE_AGE_MS_MAX;
      return isFresh ? entry.principal : null;
    },
    find(hash) {
      const under = reading.get(hash);
      if (under !== undefined) return under;
      const started = read(hash).finally(() => {
        if (reading.get(hash) === started) reading.delete(hash);
      });
      reading.set(hash, started);
      return started;
    },
  };
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
