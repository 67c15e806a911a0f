import type { Tx } from "../../db/database.ts";
import { forgetServiceLoss, readServiceLoss, writeBlocks } from "../sql.ts";
import { countsOwner } from "./counter-book.ts";
import { countsStep, createHourBook } from "./counts.ts";
import { EVERY_PHONE, type ServiceLoss } from "./rules.ts";

/**
 * What codes from the service's own numbers cost it: an account pays for those that are answered, the
 * service for all others. Counted for all accounts together, as those of an account of its own that
 * stands in the first shard. Whoever writes it has every other lock by then: all write one row.
 */
const SERVICE_SHARD = 0;
export const SERVICE_OWNER = countsOwner("00000000-0000-0000-0000-000000000000", "live");

const DAY_MS = 86_400_000;
/** Time for the operator to look; a block like any other, so it can be lifted before. */
const STOPPED_HOURS = 24;
const HOUR_MS = 3_600_000;

/** How the day stands so far. */
export async function readLoss(tx: Tx, nowMs: number): Promise<ServiceLoss> {
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

/** Counts texts that left, or codes that were answered. */
export function countForService(
  tx: Tx,
  counted: { readonly sent?: number; readonly answered?: number },
  nowMs: number,
): void {
  const hours = createHourBook();
  hours.add(SERVICE_OWNER, counted);
  const step = countsStep(SERVICE_SHARD, [], hours, nowMs);
  tx.send(step.statement, step.values);
}

/** Stops the service's own numbers for a day, or until the block is lifted. */
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

/** Lets the service's own numbers send again: what was lost today no longer counts. */
export async function forgiveLoss(tx: Tx, nowMs: number): Promise<void> {
  const today = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS);
  await tx.query(forgetServiceLoss, [SERVICE_SHARD, SERVICE_OWNER.accountId, today]);
}
