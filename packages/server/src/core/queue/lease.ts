import type { Base } from "../base.ts";

/**
 * Leases, the same way in every table that has the three columns `leased_by uuid`,
 * `lease_epoch bigint` and `lease_until timestamptz`. They run on the database's clock alone, so
 * machines that disagree about the time cannot both own a row. `statement_timestamp()` and not
 * `clock_timestamp()`: a distributed PostgreSQL refuses volatile functions in updates.
 */
const LEASE_SECONDS = 15;
const LEASE_MS = LEASE_SECONDS * 1_000;
const RENEW_EVERY_MS = 5_000;

/** Nobody holds the row, or its holder has not been heard of for the length of a lease. */
export const LEASE_IS_FREE = "(lease_until is null or lease_until < statement_timestamp())";

/** For `set`: takes the row. The parameters are the lease's `by` and `epoch`. */
export function takeLease(by: string, epoch: string): string {
  return `leased_by = ${by}, lease_epoch = ${epoch}, lease_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'`;
}

/** For `set`: gives the row back. */
export const RELEASE_LEASE = "leased_by = null, lease_epoch = null, lease_until = null";

/** For `set`: holds on for another lease. */
export const RENEW_LEASE = `lease_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'`;

/** For `where`: the fence. A row that was taken over does not match, however late one comes. */
export function holdsLease(by: string, epoch: string): string {
  return `leased_by = ${by} and lease_epoch = ${epoch}`;
}

/** Somebody else has the row now: nothing more may be done with it. */
export class LeaseLost extends Error {
  constructor() {
    super("The lease was lost.");
    this.name = "LeaseLost";
  }
}

/**
 * Does the work while renewing its lease. When a renewal finds the row in other hands, or none
 * succeeded for the length of a lease, the work's signal aborts with LeaseLost.
 */
export async function keepLease<T>(
  deps: Base,
  signal: AbortSignal,
  /** Renews by the fence; false when the row is not held any more. */
  renew: () => Promise<boolean>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const lost = new AbortController();
  const renewing = renewUntil(deps, ended.signal, lost, renew);
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    ended.abort();
    await renewing;
  }
}

async function renewUntil(
  deps: Base,
  ended: AbortSignal,
  lost: AbortController,
  renew: () => Promise<boolean>,
): Promise<void> {
  let renewedAt = deps.clock.monotonic();
  for (;;) {
    await deps.clock.sleep(RENEW_EVERY_MS, ended);
    if (ended.aborted) return;
    const startedAt = deps.clock.monotonic();
    const isHeld = await renew().catch(() => null);
    if (isHeld) renewedAt = startedAt;
    const isTooLate = deps.clock.monotonic() - renewedAt >= LEASE_MS;
    if (isHeld === false || isTooLate) {
      lost.abort(new LeaseLost());
      return;
    }
  }
}
