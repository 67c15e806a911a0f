import { MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import {
  applyReceipts,
  deliveredData,
  type FinalReceipt,
  failedData,
  RECEIPT_COLUMNS,
  type ReceiptItem,
} from "../messages/index.ts";
import { costSteps } from "./carrier-costs.ts";
import { optOutSteps } from "./carrier-opt-out.ts";
import { type MessageFollowers, runSteps } from "./follower.ts";
import { isRedacted } from "./redacted-receipts.ts";

const { receipt_delivered, receipt_failed } = MESSAGE_MOVES;

type ReceiptsDeps = Pick<Base, "clock" | "ids" | "config" | "destinations" | "prices"> & {
  readonly follower: Pick<MessageFollowers, "lockForReceipts" | "followReceipts">;
};

/** Applies final receipts in the caller's transaction; returns, per receipt, whether its message moved. */
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

/**
 * Statements that apply final receipts, in order. No claim is needed: the UPDATE only matches messages still in
 * `sent`.
 */
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
    lock: deps.follower.lockForReceipts(shard, receipts),
    apply: { statement: applyReceipts.call, values },
    follow: [
      ...deps.follower.followReceipts(shard, receipts, now),
      ...costSteps(deps, shard, receipts),
      ...optOutSteps(
        deps,
        shard,
        receipts
          .filter(({ hasOptedOut, row }) => hasOptedOut && !isRedacted(row))
          .map(({ row }) => row),
      ),
    ],
  };
}

function itemOf(
  deps: Pick<Base, "ids">,
  { row, outcome, carrierCode }: FinalReceipt,
  now: number,
): ReceiptItem {
  const { to, emits } = outcome === "delivered" ? receipt_delivered : receipt_failed;
  const data =
    outcome === "delivered"
      ? deliveredData(row, Math.max(0, now - (row.sent_at ?? now)))
      : failedData(row, outcome, carrierCode);
  return {
    accountId: row.account_id,
    id: row.id,
    mode: row.mode,
    status: to,
    failureCode: outcome === "delivered" ? null : outcome,
    carrierCode,
    customerId: row.customer_id,
    // Messages from the service's own numbers emit no events.
    event: row.from_service ? null : { id: deps.ids.makeAt(now), type: emits, data },
  };
}
