import type { Clock } from "../../platform/clock.ts";
import type { Notifications } from "./notifications.ts";

/** Maximum age of a cached value: a change takes effect everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;

export interface AccountRef {
  readonly id: string;
  readonly shard: number;
}

/**
 * Cache of values per account and key, for the hot path: a hit costs no query, concurrent misses of one key cost one. A
 * NOTIFY on `longwave_cache` drops all entries of its account.
 */
export interface AccountCache<T> {
  /** The value, or null if there is none. Missing values are not cached. */
  find(account: AccountRef, key: string): T | null | Promise<T | null>;
  forget(accountId: string | null): void;
}

interface Entry<T> {
  readonly value: T;
  readonly readAtMs: number;
}

export function createAccountCache<T>(options: {
  readonly clock: Clock;
  readonly notifications: Notifications;
  readonly entriesMax: number;
  /** Reads a value; `previous` is the expired cached value, if any. */
  readonly read: (account: AccountRef, key: string, previous: T | undefined) => Promise<T | null>;
}): AccountCache<T> {
  const { clock, entriesMax } = options;
  const accounts = new Map<string, Map<string, Entry<T>>>();
  const reading = new Map<string, Promise<T | null>>();
  let entries = 0;
  let generation = 0;

  const forget = (accountId: string | null) => {
    generation += 1;
    reading.clear();
    if (accountId === null) {
      accounts.clear();
      entries = 0;
    } else {
      entries -= accounts.get(accountId)?.size ?? 0;
      accounts.delete(accountId);
    }
  };
  options.notifications.subscribe("longwave_cache", forget);

  const keep = (account: AccountRef, key: string, entry: Entry<T>) => {
    if (entries >= entriesMax) {
      accounts.clear();
      entries = 0;
    }
    const own = accounts.get(account.id) ?? new Map<string, Entry<T>>();
    if (!own.has(key)) entries += 1;
    own.set(key, entry);
    accounts.set(account.id, own);
  };
  const read = async (account: AccountRef, key: string): Promise<T | null> => {
    const readAtMs = clock.monotonic();
    const before = generation;
    const previous = accounts.get(account.id)?.get(key)?.value;
    const value = await options.read(account, key, previous);
    // An invalidation during the read may be newer than the value: do not cache it.
    if (value !== null && before === generation) keep(account, key, { value, readAtMs });
    return value;
  };
  return {
    forget,
    find(account, key) {
      const entry = accounts.get(account.id)?.get(key);
      if (entry && clock.monotonic() - entry.readAtMs < CACHE_AGE_MS_MAX) return entry.value;
      const name = `${account.id} ${key}`;
      const under = reading.get(name);
      if (under !== undefined) return under;
      const started = read(account, key).finally(() => {
        if (reading.get(name) === started) reading.delete(name);
      });
      reading.set(name, started);
      return started;
    },
  };
}
