import { counted, Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { networkOf } from "../../http/exchange/client-address.ts";
import { findLockout, recordMiss } from "./sql.ts";

/** Above what one office mistypes in 15 minutes, far below what guessing needs. */
const MISSES_MAX = 20;
const MISSES_WINDOW_MS = 15 * 60_000;
const LOCK_FIRST_MS = 30_000;
const LOCK_MS_MAX = 15 * 60_000;

type LockoutDeps = Pick<Base, "db" | "clock">;

/**
 * Rate-limits wrong passwords per network, so that one network cannot try many people. This adds to the lock
 * per person. The database counts, because guesses may reach several processes. Locks always expire.
 */
export async function withNetworkLockout<T extends object>(
  deps: LockoutDeps,
  ip: string,
  work: () => Promise<T>,
): Promise<T> {
  const address = await requireUnlockedNetwork(deps, ip);
  const outcome = await work();
  if ("problem" in outcome) await countMiss(deps, address, MISSES_MAX);
  return outcome;
}

/** Requests for reset links count as misses: a network that asks for many people's links is locked, too. */
export async function countLinkRequest(deps: LockoutDeps, ip: string): Promise<void> {
  await countMiss(deps, await requireUnlockedNetwork(deps, ip), MISSES_MAX);
}

async function requireUnlockedNetwork(deps: LockoutDeps, ip: string): Promise<string> {
  const address = networkOf(ip);
  const leftMs = await lockLeftMs(deps.db, deps.clock.now(), address);
  if (leftMs > 0) throw locked(leftMs);
  return address;
}

/** How long a key is still locked, in ms; 0 when it is free. */
export async function lockLeftMs(db: Queryable, now: number, key: string): Promise<number> {
  const [lock] = await db.query<{ locked_until: number }>(findLockout, [key, new Date(now)]);
  return lock ? lock.locked_until - now : 0;
}

/**
 * Counts a miss for a key: a network, or an email together with a network. From `missesMax` on, each miss
 * locks the key for twice as long as before. A locked key counts nothing.
 */
export async function countMiss(
  deps: LockoutDeps,
  key: string,
  missesMax: number,
): Promise<{ readonly lockMs: number; readonly isCounted: boolean }> {
  const now = deps.clock.now();
  const since = new Date(now - MISSES_WINDOW_MS);
  const values = [key, new Date(now), since, missesMax, LOCK_FIRST_MS, LOCK_MS_MAX];
  const [row] = await deps.db.query<{ locked_until: number }>(recordMiss, values);
  if (row) return { lockMs: row.locked_until - now, isCounted: true };
  return { lockMs: await lockLeftMs(deps.db, now, key), isCounted: false };
}

function locked(leftMs: number): Problem {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `Too many tries from your network. Try again in ${counted(seconds, "second")}.`;
  return new Problem("rate_limited", message, { headers: { "retry-after": String(seconds) } });
}
