import type { Tx } from "../../../core/db/driver/database.ts";
import { deleteServiceLoss, readServiceLoss, writeBlocks } from "../sql.ts";
import { countsStep, createHourlyCounts } from "./hourly-counts.ts";
import { EVERY_PHONE, type ServiceLoss } from "./rules.ts";
import { countsOwner } from "./velocity-counters.ts";

/**
 * Loss from codes of the service's own numbers: an account pays for answered codes, the service for
 * all others. The counts span all accounts, under a nil account on the first shard. Every transaction
 * writes this one row last, after taking its other locks.
 */
const SERVICE_SHARD = 0;
export const SERVICE_OWNER = countsOwner("00000000-0000-0000-0000-000000000000", "live");

const DAY_MS = 86_400_000;
/** Time for the operator to react. The operator may lift the block earlier. */
const STOPPED_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Today's loss (UTC day). */
export async function readServiceLossToday(tx: Tx, nowMs: number): Promise<ServiceLoss> {
  const [row] = await tx.query<{ sent: number; answered: number; is_tripped: boolean }>(
    readServiceLoss,
    [
      SERVICE_SHARD,
      SERVICE_OWNER.accountId,
      new Date(Math.floor(nowMs / DAY_MS) * DAY_MS),
      new Date(nowMs),
      EVERY_PHONE,
    ],
  );
  const unanswered = Math.max(0, (row?.sent ?? 0) - (row?.answered ?? 0));
  return { unanswered, isTripped: row?.is_tripped ?? false };
}

/** Adds sent or answered codes to the service's counts. */
export function addServiceCounts(
  tx: Tx,
  counted: { readonly sent?: number; readonly answered?: number },
  nowMs: number,
): void {
  const hours = createHourlyCounts();
  hours.add(SERVICE_OWNER, counted);
  const step = countsStep(SERVICE_SHARD, [], hours, nowMs);
  tx.send(step.statement, step.values);
}

/** Blocks codes from the service's own numbers for 24 hours, or until the operator lifts the block. */
export function tripService(tx: Tx, nowMs: number): void {
  const block = {
    account_id: SERVICE_OWNER.accountId,
    mode: SERVICE_OWNER.mode,
    prefix: EVERY_PHONE,
    rule: "service_loss",
    created_at: new Date(nowMs).toISOString(),
    blocked_until: new Date(nowMs + STOPPED_HOURS * HOUR_MS).toISOString(),
  };
  tx.send(writeBlocks, [SERVICE_SHARD, JSON.stringify([block])]);
}

/** Resets today's loss, so that the service's own numbers send again. */
export async function resetServiceLoss(tx: Tx, nowMs: number): Promise<void> {
  const today = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS);
  await tx.query(deleteServiceLoss, [SERVICE_SHARD, SERVICE_OWNER.accountId, today]);
}
