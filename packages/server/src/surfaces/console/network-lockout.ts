import { counted, Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { networkOf } from "../../http/exchange/client-address.ts";
import { findAddressLock, missFromAddress } from "./sql.ts";

/** More than people of one office mistype, and far fewer than guessing takes. */
const MISSES_MAX = 20;
const MISSES_WINDOW_MS = 15 * 60_000;
const LOCK_FIRST_MS = 30_000;
const LOCK_MS_MAX = 15 * 60_000;

type Counting = Pick<Base, "db" | "clock">;

/**
 * Who guesses at many people from one network is made to wait, beside the lock of each person. Counted
 * in the database: guesses at several processes are guesses at one. Never for good.
 */
export async function countingMisses<T extends object>(
  deps: Counting,
  ip: string,
  work: () => Promise<T>,
): Promise<T> {
  const address = await freeAddress(deps, ip);
  const outcome = await work();
  if ("problem" in outcome) await countMiss(deps, address, MISSES_MAX);
  return outcome;
}

/** Asking for links counts as guessing does: whoever asks for many people's is made to wait. */
export async function countingAsks(deps: Counting, ip: string): Promise<void> {
  await countMiss(deps, await freeAddress(deps, ip), MISSES_MAX);
}

async function freeAddress(deps: Counting, ip: string): Promise<string> {
  const address = networkOf(ip);
  const leftMs = await lockLeftMs(deps.db, deps.clock.now(), address);
  if (leftMs > 0) throw locked(leftMs);
  return address;
}

/** How long a key is still locked, in ms; 0 when it is free. */
export async function lockLeftMs(db: Queryable, now: number, key: string): Promise<number> {
  const [lock] = await db.query<{ locked_until: number }>(findAddressLock, [key, new Date(now)]);
  return lock ? lock.locked_until - now : 0;
}

/**
 * Counts a miss under a key: a network, or a person as guessed at from a network. From `missesMax` on
 * each miss locks the key, for twice as long as the one before. A key that is locked counts nothing.
 */
export async function countMiss(
  deps: Counting,
  key: string,
  missesMax: number,
): Promise<{ readonly lockMs: number; readonly isCounted: boolean }> {
  const now = deps.clock.now();
  const since = new Date(now - MISSES_WINDOW_MS);
  const values = [key, new Date(now), since, missesMax, LOCK_FIRST_MS, LOCK_MS_MAX];
  const [row] = await deps.db.query<{ locked_until: number }>(missFromAddress, values);
  if (row) return { lockMs: row.locked_until - now, isCounted: true };
  return { lockMs: await lockLeftMs(deps.db, now, key), isCounted: false };
}

function locked(leftMs: number): Problem {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `Too many tries from your network. Try again in ${counted(seconds, "second")}.`;
  return new Problem("rate_limited", message, { headers: { "retry-after": String(seconds) } });
}
