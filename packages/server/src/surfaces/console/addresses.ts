import { counted, Problem } from "@longwave/contract";
import type { Base } from "../base.ts";
import { networkOf } from "../http/client-address.ts";
import { findAddressLock, lockAddress, missFromAddress } from "./sql.ts";

/** More than people of one office mistype, and far fewer than guessing takes. */
const MISSES_MAX = 20;
const MISSES_WINDOW_MS = 15 * 60_000;
const LOCK_FIRST_MS = 30_000;
const LOCK_MS_MAX = 15 * 60_000;
const DOUBLINGS_MAX = 20;

/**
 * Who guesses at many people from one network is made to wait, beside the lock of each person. Counted
 * in the database: guesses at several processes are guesses at one. Never for good.
 */
export async function countingMisses<T extends object>(
  deps: Base,
  ip: string,
  work: () => Promise<T>,
): Promise<T> {
  const address = await freeAddress(deps, ip);
  const outcome = await work();
  if ("problem" in outcome) await miss(deps, address);
  return outcome;
}

/** Asking for links counts as guessing does: whoever asks for many people's is made to wait. */
export async function countingAsks(deps: Base, ip: string): Promise<void> {
  await miss(deps, await freeAddress(deps, ip));
}

async function freeAddress(deps: Base, ip: string): Promise<string> {
  const address = networkOf(ip);
  const now = deps.clock.now();
  const values = [address, new Date(now)];
  const [lock] = await deps.db.query<{ locked_until: number }>(findAddressLock, values);
  if (lock) throw locked(lock.locked_until - now);
  return address;
}

async function miss(deps: Base, address: string): Promise<void> {
  const now = deps.clock.now();
  const since = new Date(now - MISSES_WINDOW_MS);
  const values = [address, new Date(now), since];
  const [row] = await deps.db.query<{ misses: number }>(missFromAddress, values);
  const beyond = (row?.misses ?? 0) - MISSES_MAX;
  if (beyond < 0) return;
  const lockMs = Math.min(LOCK_MS_MAX, LOCK_FIRST_MS * 2 ** Math.min(beyond, DOUBLINGS_MAX));
  await deps.db.query(lockAddress, [address, new Date(now + lockMs)]);
}

function locked(leftMs: number): Problem {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `Too many tries from your network. Try again in ${counted(seconds, "second")}.`;
  return new Problem("rate_limited", message, { headers: { "retry-after": String(seconds) } });
}
