import { simulatedCarrierCode, simulatedOutcome } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import type { MessageRow } from "./message-row.ts";
import { applyFinalReceipts, type FinalReceipt } from "./receipts.ts";
import { simulateReply } from "./receive.ts";
import { claimDueReceipts, receiptsDue } from "./sql.ts";

const RECEIPTS_PER_CHUNK_MAX = 1_000;

/** The receipts of the simulated network, when they fall due. */
export const simulatedReceiptsLane: Lane = {
  name: "simulated_receipts",
  nextDueAt: (deps) => earliestDue(deps, receiptsDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, receiptsDue)) {
      done += await deps.db.tx((tx) => bringReceipts(deps, tx, shard));
    }
    return done;
  },
};

async function bringReceipts(deps: Deps, tx: Tx, shard: number): Promise<number> {
  const now = new Date(deps.clock.now());
  const values = [shard, now, RECEIPTS_PER_CHUNK_MAX];
  const rows = await tx.query<MessageRow>(claimDueReceipts, values);
  const receipts = rows.map(receiptOf);
  const moved = await applyFinalReceipts(deps, tx, shard, receipts);
  for (const [index, { row, outcome }] of receipts.entries()) {
    if (moved[index] && outcome === "delivered") await simulateReply(deps, tx, row);
  }
  return rows.length;
}

function receiptOf(row: MessageRow): FinalReceipt {
  const outcome = simulatedOutcome(row.to_number).receipt ?? "delivered";
  const carrierCode = outcome === "delivered" ? null : simulatedCarrierCode(outcome);
  return { row, outcome, carrierCode };
}
