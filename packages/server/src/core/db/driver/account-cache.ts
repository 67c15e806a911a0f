import type { Clock } from "../platform/clock.ts";
import type { Notifications } from "./notifications.ts";

/** What is cached is at most this old, so a change holds everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;

export interface AccountRef {
  readonly id: string;
  readonly shard: number;
}

/**
 * Values of accounts by key, for the hot path: a hit costs no query, many misses of one key cost
 * one. A change that is told on `longwave_cache` drops everything of its account at once.
 */
export interface AccountCache<T> {
  /** The value, or null when there is none. What is missing is not remembered. */
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
  /** Reads a value; `previous` is what was known of it before it became too old. */
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
    // A change told while we were reading may not be in what we read.
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
