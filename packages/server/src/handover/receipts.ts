import { type FailureCode, MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Step, Tx } from "../db/database.ts";
import type { MessageFollower } from "./follower.ts";
import { deliveredData, failedData } from "./message-events.ts";
import type { MessageRow } from "./message-row.ts";
import { moveReceived, tellReceived } from "./receipts-sql.ts";
import { lockAccounts } from "./sql.ts";

const HOUR_MS = 3_600_000;

/** What of a message its receipt needs to know. */
export type Received = Pick<
  MessageRow,
  | "account_id"
  | "id"
  | "mode"
  | "from_number"
  | "to_number"
  | "customer_id"
  | "from_service"
  | "carrier"
  | "sent_at"
  | "schedule_id"
  | "run_id"
>;

/** The last word on a message that was sent. */
export interface FinalReceipt {
  readonly row: Received;
  readonly outcome: "delivered" | FailureCode;
  readonly carrierCode: string | null;
}

type ReceiptsDeps = Base & { readonly follower: Pick<MessageFollower, "received"> };

/** Applies final receipts in the caller's transaction; answers which ones moved a message. */
export async function applyFinalReceipts(
  deps: ReceiptsDeps,
  tx: Tx,
  shard: number,
  receipts: readonly FinalReceipt[],
): Promise<boolean[]> {
  if (receipts.length === 0) return [];
  const [move, ...tell] = receiptSteps(deps, shard, receipts);
  const [row] = await tx.query<{ moved: number[] | null }>(move.statement, move.values);
  for (const step of tell) await tx.query(step.statement, step.values);
  const ords = new Set(row?.moved);
  return receipts.map((_, index) => ords.has(index + 1));
}

/**
 * The same as a transaction of its own in one round trip, so that the account's counters are
 * locked no longer than the database needs. The guard in the statement makes a claim needless.
 */
export async function applyFinalReceiptsAtOnce(
  deps: ReceiptsDeps,
  shard: number,
  receipts: readonly FinalReceipt[],
): Promise<void> {
  if (receipts.length > 0) await deps.db.fly(receiptSteps(deps, shard, receipts), "lanes");
}

function receiptSteps(
  deps: ReceiptsDeps,
  shard: number,
  receipts: readonly FinalReceipt[],
): [Step, ...Step[]] {
  const now = deps.clock.now();
  const at = new Date(now);
  const ids = receipts.map((receipt) => receipt.row.id);
  const accounts = [...new Set(receipts.map((receipt) => receipt.row.account_id))];
  const places = createPlaces();
  const events = receipts.map((one, index) =>
    eventText(deps, one, index + 1, places.of(one.row), now),
  );
  return [
    { statement: moveReceived, values: [shard, ids, at, ...outcomesOf(receipts)] },
    // Before the lock of the accounts, as everywhere: what follows messages is locked first.
    ...deps.follower.received(shard, receipts, now),
    { statement: lockAccounts, values: [shard, accounts] },
    {
      statement: tellReceived,
      values: [shard, `[${events.join(",")}]`, accounts, at, ...places.columns()],
    },
  ];
}

/** Where receipts are counted: the few pairs of number and carrier that a group has, by hour sent. */
function createPlaces() {
  const places = new Map<string, { readonly place: number; readonly values: readonly unknown[] }>();
  return {
    /** The place of a text, counted from one. */
    of({ account_id, mode, from_number, carrier, sent_at }: Received): number {
      const hour = Math.floor((sent_at ?? 0) / HOUR_MS) * HOUR_MS;
      const key = `${account_id} ${mode} ${hour} ${from_number} ${carrier ?? ""}`;
      const known = places.get(key);
      if (known) return known.place;
      const place = places.size + 1;
      const values = [account_id, mode, new Date(hour), from_number, carrier ?? ""];
      places.set(key, { place, values });
      return place;
    },
    columns(): unknown[][] {
      const rows = [...places.values()].map(({ values }) => values);
      return [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]));
    },
  };
}

/** Statuses, failure codes and carriers' codes; what is null everywhere need not be sent. */
function outcomesOf(receipts: readonly FinalReceipt[]): (string | null)[][] {
  const statuses = receipts.map(({ outcome }) => moveBy(outcome).to);
  const failures = receipts.map(({ outcome }) => (outcome === "delivered" ? null : outcome));
  const codes = receipts.map(({ carrierCode }) => carrierCode);
  return [statuses, failures, codes].map((all) => (all.every((one) => one === null) ? [] : all));
}

function moveBy(outcome: FinalReceipt["outcome"]) {
  const { receipt_delivered, receipt_failed } = MESSAGE_MOVES;
  return outcome === "delivered" ? receipt_delivered : receipt_failed;
}

function eventText(
  deps: Pick<Base, "ids">,
  { row, outcome, carrierCode }: FinalReceipt,
  ord: number,
  place: number,
  now: number,
): string {
  // Nobody hears of a text of the service's own.
  if (row.from_service) return `{"ord":${ord},"account_id":"${row.account_id}"}`;
  const data =
    outcome === "delivered"
      ? deliveredData(row, Math.max(0, now - (row.sent_at ?? now)))
      : failedData(row, outcome, carrierCode);
  const customer = row.customer_id === null ? "" : `"customer_id":"${row.customer_id}",`;
  return `{"ord":${ord},"account_id":"${row.account_id}","place":${place},${customer}"event_id":"${deps.ids.makeAt(
    now,
  )}","event_type":"${moveBy(outcome).emits}","event_data":${JSON.stringify(data)}}`;
}
