import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { simulatedCarrierCode, simulatedOutcome } from "../../network/carriers/index.ts";
import {
  type FinalReceipt,
  findMessage,
  findReceiptMessages,
  type MessageRow,
  type ReceiptMessage,
} from "../messages/index.ts";
import { applyFinalReceipts, receiptSteps } from "./apply-receipts.ts";
import type { OutboundDeps } from "./deps.ts";
import type { DueReceipts } from "./simulated-receipts-writer.ts";
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
  // All chunks are added at once, so that the database always has the next one queued.
  const settled = await Promise.allSettled(
    chunksOf(shard, plain).map((chunk) => deps.dueReceipts.add(chunk)),
  );
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  for (const row of rows.filter((one) => !one.is_plain)) await applyMixed(deps, shard, row, now);
  return rows.length;
}

/** Splits the rows of each account into chunks of at most MESSAGES_PER_CHUNK_MAX messages. */
function chunksOf(shard: number, rows: readonly DueRow[]): DueReceipts[] {
  const chunks: DueReceipts[] = [];
  const open = new Map<string, { ids: string[]; messages: number }>();
  for (const { id, account_id: accountId, message_count } of rows) {
    const chunk = open.get(accountId);
    if (chunk && chunk.messages + message_count <= MESSAGES_PER_CHUNK_MAX) {
      chunk.ids.push(id);
      chunk.messages += message_count;
    } else {
      const fresh = { shard, accountId, ids: [id], messages: message_count };
      open.set(accountId, fresh);
      chunks.push(fresh);
    }
  }
  return chunks;
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
