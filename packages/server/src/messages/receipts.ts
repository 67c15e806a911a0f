import type { FailureCode } from "@longwave/contract";
import type { Step, Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { iso } from "./accept.ts";
import { deliveredData, failedData } from "./message-events.ts";
import type { MessageRow } from "./message-row.ts";
import { applyReceipts, lockAccounts, notifyAccounts } from "./sql.ts";

/** The last word on a message that was sent. */
export interface FinalReceipt {
  readonly row: MessageRow;
  readonly outcome: "delivered" | FailureCode;
  readonly carrierCode: string | null;
}

/** Applies final receipts in the caller's transaction; answers which ones moved a message. */
export async function applyFinalReceipts(
  deps: Deps,
  tx: Tx,
  shard: number,
  receipts: readonly FinalReceipt[],
): Promise<boolean[]> {
  if (receipts.length === 0) return [];
  const [lock, apply, notify] = receiptSteps(deps, shard, receipts);
  await tx.query(lock.statement, lock.values);
  const moved = await tx.query<{ ord: number }>(apply.statement, apply.values);
  await tx.query(notify.statement, notify.values);
  return movedOf(receipts, moved);
}

/**
 * The same as a transaction of its own in one round trip, so that the account's counters are
 * locked no longer than the database needs. The guard in the statement makes a claim needless.
 */
export async function applyFinalReceiptsAtOnce(
  deps: Deps,
  shard: number,
  receipts: readonly FinalReceipt[],
): Promise<void> {
  if (receipts.length > 0) await deps.db.steps(receiptSteps(deps, shard, receipts));
}

function receiptSteps(
  deps: Deps,
  shard: number,
  receipts: readonly FinalReceipt[],
): [Step, Step, Step] {
  const now = deps.clock.now();
  const accounts = [...new Set(receipts.map((receipt) => receipt.row.account_id))];
  const values = [
    shard,
    JSON.stringify(receipts.map((receipt, ord) => receiptJson(deps, receipt, ord, now))),
    receipts.map((receipt) => receipt.row.id),
    accounts,
  ];
  return [
    { statement: lockAccounts, values: [shard, accounts] },
    { statement: applyReceipts, values },
    { statement: notifyAccounts, values: [accounts] },
  ];
}

function movedOf(receipts: readonly FinalReceipt[], moved: readonly { ord: number }[]): boolean[] {
  const ords = new Set(moved.map((row) => row.ord));
  return receipts.map((_, ord) => ords.has(ord));
}

function receiptJson(deps: Deps, receipt: FinalReceipt, ord: number, now: number): object {
  const { row, outcome, carrierCode } = receipt;
  const isDelivered = outcome === "delivered";
  const data = isDelivered
    ? deliveredData(row, Math.max(0, now - (row.sent_at ?? now)))
    : failedData(row, outcome, carrierCode);
  return {
    ord,
    account_id: row.account_id,
    id: row.id,
    status: isDelivered ? "delivered" : "failed",
    failure_code: isDelivered ? null : outcome,
    carrier_code: carrierCode,
    at: iso(now),
    event_id: deps.ids.makeAt(now),
    event_type: isDelivered ? "message.delivered" : "message.failed",
    event_data: JSON.stringify(data),
  };
}
