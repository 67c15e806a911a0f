import { MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Step, Tx } from "../db/database.ts";
import { type MessageFollower, runSteps } from "./follower.ts";
import { deliveredData, failedData } from "./message-events.ts";
import { applyReceipts, RECEIPT_COLUMNS, type ReceiptItem } from "./receipts-functions.ts";
import type { FinalReceipt } from "./stages.ts";

type ReceiptsDeps = Pick<Base, "clock" | "ids"> & {
  readonly follower: Pick<MessageFollower, "lockReceived" | "received">;
};

/** Applies final receipts in the caller's transaction; answers which ones moved a message. */
export async function applyFinalReceipts(
  deps: ReceiptsDeps,
  tx: Tx,
  shard: number,
  receipts: readonly FinalReceipt[],
): Promise<boolean[]> {
  if (receipts.length === 0) return [];
  const { lock, apply, follow } = receiptSteps(deps, shard, receipts);
  await runSteps(tx, lock);
  const [row] = await tx.query<{ moved: number[] | null }>(apply.statement, apply.values);
  await runSteps(tx, follow);
  const numbers = new Set(row?.moved);
  return receipts.map((_, index) => numbers.has(index + 1));
}

interface ReceiptSteps {
  readonly lock: readonly Step[];
  readonly apply: Step;
  readonly follow: readonly Step[];
}

/** What applies final receipts, in this order. Its guard makes a claim needless. */
export function receiptSteps(
  deps: ReceiptsDeps,
  shard: number,
  receipts: readonly FinalReceipt[],
): ReceiptSteps {
  const now = deps.clock.now();
  const items = receipts.map((receipt) => itemOf(deps, receipt, now));
  const ids = items.map((item) => item.id).sort();
  const accounts = [...new Set(items.map((item) => item.accountId))];
  const columns = RECEIPT_COLUMNS.map((column) => column.textOf(items));
  const values = [shard, new Date(now), accounts, ids[0], ids.at(-1), ...columns];
  return {
    lock: deps.follower.lockReceived(shard, receipts),
    apply: { statement: applyReceipts.call, values },
    follow: deps.follower.received(shard, receipts, now),
  };
}

function moveBy(outcome: FinalReceipt["outcome"]) {
  const { receipt_delivered, receipt_failed } = MESSAGE_MOVES;
  return outcome === "delivered" ? receipt_delivered : receipt_failed;
}

function itemOf(
  deps: Pick<Base, "ids">,
  { row, outcome, carrierCode }: FinalReceipt,
  now: number,
): ReceiptItem {
  const { to, emits } = moveBy(outcome);
  const data =
    outcome === "delivered"
      ? deliveredData(row, Math.max(0, now - (row.sent_at ?? now)))
      : failedData(row, outcome, carrierCode);
  return {
    accountId: row.account_id,
    id: row.id,
    status: to,
    failureCode: outcome === "delivered" ? null : outcome,
    carrierCode,
    customerId: row.customer_id,
    // Nobody hears of a text of the service's own.
    event: row.from_service ? null : { id: deps.ids.makeAt(now), type: emits, data },
  };
}
