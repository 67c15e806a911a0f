import { simulatedCarrierCode, simulatedOutcome } from "../carriers/index.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { HandoverDeps } from "./deps.ts";
import type { MessageRow } from "./message-row.ts";
import {
  applyFinalReceipts,
  applyFinalReceiptsAtOnce,
  type FinalReceipt,
  type Received,
} from "./receipts.ts";
import { findDueReceipts, receiptsDue } from "./receipts-sql.ts";
import { findMessage } from "./sql.ts";

const RECEIPTS_PER_LOOK_MAX = 1_000;
/** Small enough that a single send of the same account hardly waits for a chunk. */
const RECEIPTS_PER_CHUNK_MAX = 250;

/** The receipts of the simulated network, when they fall due; some phones then text back. */
export const simulatedReceiptsLane: Lane<HandoverDeps> = {
  name: LANES.simulatedReceipts,
  nextDueAt: (deps) => earliestDue(deps, receiptsDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, receiptsDue))
      done += await bringReceipts(deps, shard);
    return done;
  },
};

async function bringReceipts(deps: HandoverDeps, shard: number): Promise<number> {
  const now = new Date(deps.clock.now());
  const rows = await deps.db.query<Received>(findDueReceipts, [shard, now, RECEIPTS_PER_LOOK_MAX]);
  const silent = rows.filter((row) => simulatedOutcome(row.to_number).reply === null);
  await bringInChunks(deps, shard, silent.map(receiptOf));
  for (const row of rows) {
    if (simulatedOutcome(row.to_number).reply !== null) await bringReply(deps, shard, row);
  }
  return rows.length;
}

/** All chunks go out at once: the database has the next at hand when one is done. */
async function bringInChunks(
  deps: HandoverDeps,
  shard: number,
  receipts: readonly FinalReceipt[],
): Promise<void> {
  const chunks: Promise<void>[] = [];
  for (let start = 0; start < receipts.length; start += RECEIPTS_PER_CHUNK_MAX) {
    const chunk = receipts.slice(start, start + RECEIPTS_PER_CHUNK_MAX);
    chunks.push(applyFinalReceiptsAtOnce(deps, shard, chunk));
  }
  const settled = await Promise.allSettled(chunks);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** The receipt and what the phone then texts back, in one transaction: both or neither. */
async function bringReply(deps: HandoverDeps, shard: number, row: Received): Promise<void> {
  await deps.db.tx(async (tx) => {
    const [moved] = await applyFinalReceipts(deps, tx, shard, [receiptOf(row)]);
    if (!moved) return;
    const [message] = await tx.query<MessageRow>(findMessage, [shard, row.account_id, row.id]);
    if (message) await deps.simulateReply(tx, message);
  });
}

function receiptOf(row: Received): FinalReceipt {
  const outcome = simulatedOutcome(row.to_number).receipt ?? "delivered";
  const carrierCode = outcome === "delivered" ? null : simulatedCarrierCode(outcome);
  return { row, outcome, carrierCode };
}
