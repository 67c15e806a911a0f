import type { Step } from "../../core/db/driver/database.ts";
import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { simulatedCarrierCode, simulatedOutcome } from "../../network/carriers/index.ts";
import {
  applySimulatedReceipts,
  type FinalReceipt,
  findMessage,
  findReceiptMessages,
  type MessageRow,
  type ReceiptMessage,
} from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { applyFinalReceipts, receiptSteps } from "./receipts.ts";
import { deleteDueReceipts, findDueReceipts, receiptsDue } from "./sql.ts";

const ROWS_PER_POLL_MAX = 100;
/** Small enough that a single send of the same account hardly waits for a chunk. */
const MESSAGES_PER_CHUNK_MAX = 250;

/** A row of due receipts. Plain rows all say `delivered` and cause no reply. */
interface DueRow {
  readonly id: string;
  readonly account_id: string;
  readonly is_plain: boolean;
  readonly message_ids: readonly string[] | null;
  readonly message_count: number;
}

/** Applies receipts of the simulated network when they fall due; some phones then reply. */
export const simulatedReceiptsLane: Lane<OutboundDeps> = {
  name: LANES.simulatedReceipts,
  nextDueAt: (deps) => earliestDue(deps, receiptsDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, receiptsDue)) done += await applyDue(deps, shard);
    return done;
  },
};

async function applyDue(deps: OutboundDeps, shard: number): Promise<number> {
  const now = deps.clock.now();
  const values = [shard, new Date(now), ROWS_PER_POLL_MAX];
  const rows = await deps.db.query<DueRow>(findDueReceipts, values);
  const plain = rows.filter((row) => row.is_plain);
  // All chunks are sent at once, so that the database always has the next one queued.
  const settled = await Promise.allSettled(
    chunksOf(plain).map((chunk) => applyChunk(deps, shard, chunk, now)),
  );
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  for (const row of rows.filter((one) => !one.is_plain)) await applyMixed(deps, shard, row, now);
  return rows.length;
}

function messagesIn(rows: readonly DueRow[]): number {
  return rows.reduce((sum, row) => sum + row.message_count, 0);
}

/** Splits rows into chunks of at most MESSAGES_PER_CHUNK_MAX messages. */
function chunksOf(rows: readonly DueRow[]): DueRow[][] {
  const chunks: DueRow[][] = [];
  let messages = MESSAGES_PER_CHUNK_MAX;
  for (const row of rows) {
    messages += row.message_count;
    if (messages > MESSAGES_PER_CHUNK_MAX) {
      chunks.push([]);
      messages = row.message_count;
    }
    chunks.at(-1)?.push(row);
  }
  return chunks;
}

/**
 * Applies the receipts of a chunk in one statement, so that accounts stay locked no longer than it takes.
 *
 * Each account that another transaction has locked is then retried by itself, and delays no other.
 */
async function applyChunk(
  deps: OutboundDeps,
  shard: number,
  rows: readonly DueRow[],
  now: number,
): Promise<void> {
  const step = applyStep(deps, shard, rows, now);
  const [applied = []] = await deps.db.execPipelined([step], { profile: "lanes" });
  const [{ locked_accounts: busy }] = applied as [
    { readonly locked_accounts: readonly string[] | null },
  ];
  const left = busy?.map((id) => rows.filter((row) => row.account_id === id)) ?? [];
  await Promise.all(left.map((own) => applyChunk(deps, shard, own, now)));
}

function accountsOf(rows: readonly DueRow[]): string[] {
  return [...new Set(rows.map((row) => row.account_id))];
}

function applyStep(deps: OutboundDeps, shard: number, rows: readonly DueRow[], now: number): Step {
  const accounts = accountsOf(rows);
  const eventIds = Array.from({ length: messagesIn(rows) }, () => deps.ids.makeAt(now));
  const values = [
    shard,
    new Date(now),
    accounts,
    rows.map((row) => row.id),
    `{${eventIds.join(",")}}`,
  ];
  return { statement: applySimulatedReceipts.call, values };
}

/** Applies receipts other than `delivered`, and receipts whose phone replies. */
async function applyMixed(
  deps: OutboundDeps,
  shard: number,
  { id, message_ids }: DueRow,
  now: number,
): Promise<void> {
  const rows = await deps.db.query<ReceiptMessage>(findReceiptMessages, [shard, message_ids]);
  const replies = rows.filter((row) => simulatedOutcome(row.to_number).reply !== null);
  for (const row of replies) await applyWithReply(deps, shard, row);
  const silent = rows.filter((row) => !replies.includes(row)).map(receiptOf);
  const deleteRows = { statement: deleteDueReceipts, values: [shard, new Date(now), [id]] };
  const {
    lock = [],
    apply,
    follow = [],
  } = silent.length === 0 ? {} : receiptSteps(deps, shard, silent);
  await deps.db.execPipelined([...lock, ...(apply ? [apply] : []), ...follow, deleteRows], {
    profile: "lanes",
  });
}

/** Applies the receipt and stores the phone's reply in one transaction. */
async function applyWithReply(
  deps: OutboundDeps,
  shard: number,
  row: ReceiptMessage,
): Promise<void> {
  await deps.db.tx(async (tx) => {
    const [moved] = await applyFinalReceipts(deps, tx, shard, [receiptOf(row)]);
    if (!moved) return;
    const [message] = await tx.query<MessageRow>(findMessage, [shard, row.account_id, row.id]);
    if (message) await deps.simulateReply(tx, message);
  });
}

function receiptOf(row: ReceiptMessage): FinalReceipt {
  const outcome = simulatedOutcome(row.to_number).receipt ?? "delivered";
  const carrierCode = outcome === "delivered" ? null : simulatedCarrierCode(outcome);
  return { row, outcome, carrierCode };
}
