import type { FailureCode } from "@longwave/contract";
import type { Step, Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { deliveredData, failedData } from "./message-events.ts";
import type { MessageRow } from "./message-row.ts";
import { moveReceived, tellReceived } from "./receipts-sql.ts";
import { lockAccounts } from "./sql.ts";

/** What of a message its receipt needs to know. */
export type Received = Pick<
  MessageRow,
  | "shard"
  | "account_id"
  | "id"
  | "from_number"
  | "to_number"
  | "segments"
  | "customer_id"
  | "sent_at"
>;

/** The last word on a message that was sent. */
export interface FinalReceipt {
  readonly row: Received;
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
  const [move, ...tell] = receiptSteps(deps, shard, receipts);
  const [row] = await tx.query<{ moved: number[] | null }>(move.statement, move.values);
  for (const step of tell) await tx.query(step.statement, step.values);
  const ords = new Set(row?.moved);
  return receipts.map((_, ord) => ords.has(ord));
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
  if (receipts.length > 0) await deps.db.steps(receiptSteps(deps, shard, receipts), "lanes");
}

function receiptSteps(
  deps: Deps,
  shard: number,
  receipts: readonly FinalReceipt[],
): [Step, Step, Step] {
  const now = deps.clock.now();
  const at = new Date(now);
  const ids = receipts.map((receipt) => receipt.row.id);
  const accounts = [...new Set(receipts.map((receipt) => receipt.row.account_id))];
  const moves = JSON.stringify(receipts.map(moveJson));
  const events = JSON.stringify(receipts.map((one, ord) => eventJson(deps, one, ord, now)));
  return [
    { statement: moveReceived, values: [shard, moves, ids, at] },
    { statement: lockAccounts, values: [shard, accounts] },
    { statement: tellReceived, values: [shard, events, accounts, at] },
  ];
}

function moveJson({ row, outcome, carrierCode }: FinalReceipt, ord: number): object {
  if (outcome === "delivered") {
    return { ord, id: row.id, status: "delivered", carrier_code: carrierCode ?? undefined };
  }
  return {
    ord,
    id: row.id,
    status: "failed",
    failure_code: outcome,
    carrier_code: carrierCode ?? undefined,
  };
}

function eventJson(
  deps: Pick<Deps, "ids">,
  { row, outcome, carrierCode }: FinalReceipt,
  ord: number,
  now: number,
): object {
  const isDelivered = outcome === "delivered";
  const data = isDelivered
    ? deliveredData(row, Math.max(0, now - (row.sent_at ?? now)))
    : failedData(row, outcome, carrierCode);
  return {
    ord,
    account_id: row.account_id,
    customer_id: row.customer_id ?? undefined,
    event_id: deps.ids.makeAt(now),
    event_type: isDelivered ? "message.delivered" : "message.failed",
    event_data: data,
  };
}
