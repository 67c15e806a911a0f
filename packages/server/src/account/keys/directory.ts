import { hash } from "node:crypto";
import type { Mode, Scope } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import { expect } from "../../core/platform/assert.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import { type Cidr, parseCidr } from "../../core/platform/outgoing/addresses.ts";
import type { AccountRow, Principal } from "../../http/api/caller.ts";
import { createKeyUses } from "./last-used.ts";
import { findKeyByHash, findRefusedKeys } from "./sql.ts";

/** Age in ms of a cached key, so that a change applies everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;
const CACHE_KEYS_MAX = 10_000;
/** Keys in use whose hash is cached, so that requests need not compute it. */
const RECENT_KEYS_MAX = 1_000;

export interface KeyDirectory {
  /** The principal of this key, if a recent lookup is still cached. */
  remembered(key: string): Principal | null;
  /** The principal of this key, read by the key's SHA-256 if not cached; null for an unknown key. */
  find(key: string): Promise<Principal | null>;
  /** Keys (UUIDs) that admission would refuse now; drops the cache if there are any. */
  refusedAmong(keyIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Drops the cache; NOTIFY tells every process of a change. */
  forget(): void;
  /** Writes the keys' last uses. */
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
  allowed_ips: string[] | null;
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
    const [row] = await db.query<KeyRow>(findKeyByHash, [
      Buffer.from(keyHash, "base64"),
      new Date(clock.now()),
    ]);
    if (!row) return null;
    const principal = principalOf(row);
    // A key in use is read every second, so requests themselves need not note it.
    uses.note(row.key_id);
    // A change notified during the read may be missing from the result.
    if (before === generation) {
      if (cache.size >= CACHE_KEYS_MAX) cache.clear();
      cache.set(keyHash, { principal, readAtMs });
    }
    return principal;
  };
  return {
    forget,
    async refusedAmong(keyIds) {
      const rows = await db.query<{ id: string }>(findRefusedKeys, [keyIds, new Date(clock.now())]);
      if (rows.length > 0) forget();
      return new Set(rows.map((row) => row.id));
    },
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
  const { key_id, key_name, mode, scopes, allowed_ips, ...account } = row;
  return {
    kind: "key",
    account,
    keyId: key_id,
    keyName: key_name,
    mode,
    scopes: scopes ? new Set(scopes) : null,
    allowedIps: allowed_ips?.map(storedNetwork) ?? null,
  };
}

function storedNetwork(text: string): Cidr {
  return expect(parseCidr(text), "a key's network is no CIDR block");
}
