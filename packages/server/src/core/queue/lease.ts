import type { Base } from "../base.ts";

/**
 * Leases: the columns `leased_by uuid`, `lease_epoch bigint` and `lease_until timestamptz`, the same in every table.
 * They use the database's clock alone, so machines with different clocks cannot both own a row.
 * `statement_timestamp()` and not `clock_timestamp()`: Citus refuses volatile functions in updates.
 */
const LEASE_SECONDS = 15;
const LEASE_MS = LEASE_SECONDS * 1_000;
const RENEW_EVERY_MS = 5_000;

/** No worker owns the row, or its owner stopped renewing. */
export const LEASE_IS_FREE = "(lease_until is null or lease_until < statement_timestamp())";

/** SET list that takes the lease. The parameters are the lease's `by` and `epoch`. */
export function takeLease(by: string, epoch: string): string {
  return `leased_by = ${by}, lease_epoch = ${epoch}, lease_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'`;
}

/** SET list that releases the lease. */
export const RELEASE_LEASE = "leased_by = null, lease_epoch = null, lease_until = null";

/** SET list that extends the lease. */
export const RENEW_LEASE = `lease_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'`;

/** Condition that fences off stale owners: a row that another worker took over does not match. */
export function holdsLease(by: string, epoch: string): string {
  return `leased_by = ${by} and lease_epoch = ${epoch}`;
}

/** Another worker has taken the row over: the work must stop. */
export class LeaseLost extends Error {
  constructor() {
    super("The lease was lost.");
    this.name = "LeaseLost";
  }
}

/**
 * Does the work while renewing its lease. The work's signal aborts with LeaseLost when another worker owns the row,
 * or when no renewal succeeded for the length of a lease.
 */
export async function keepLease<T>(
  deps: Base,
  signal: AbortSignal,
  /** Renews behind the fence; false when another worker owns the row. */
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
