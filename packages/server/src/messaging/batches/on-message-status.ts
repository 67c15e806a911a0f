import type { BatchRecipientState, BatchStatus, FailureCode } from "@longwave/contract";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import { topicNeedsOptIn, unsubscribedAmong } from "../../people/topics/index.ts";
import type { MessageRow } from "../messages/index.ts";
import type { FollowerVerdict, MessageFollower } from "../outbound/index.ts";
import { followBatch } from "./follow-function.ts";
import { findRecipients, lockBatches, notifyDue, suspendBatches } from "./sql.ts";

/**
 * Updates recipients when their messages change. The lock of a batch's row orders submits and actions: after
 * a pause or cancel has committed, no message of the batch is submitted.
 */
export const batchFollower: MessageFollower = {
  by: "batch_id",

  lock: (shard, rows) => [{ statement: lockBatches, values: [shard, batchesOf(rows)] }],

  follow(shard, rows, now) {
    const batches = batchesOf(rows);
    const at = new Date(now);
    return [
      ...batches.map((batch) => followStep(shard, batch, rows, at)),
      { statement: notifyDue, values: [shard, batches, at] },
    ];
  },

  suspend: (shard, rows, now) => [
    { statement: suspendBatches, values: [shard, batchesOf(rows), new Date(now)] },
  ],

  async check(tx, shard, rows) {
    const locked = await tx.query<LockedBatch>(lockBatches, [shard, batchesOf(rows)]);
    const statusOf = new Map(locked.map((batch) => [batch.id, batch.status]));
    const verdicts: Map<string, FollowerVerdict> = new Map();
    for (const id of await needingOptIn(tx, shard, locked, rows)) verdicts.set(id, "needs_opt_in");
    const canceled: MessageRow[] = [];
    for (const row of rows) {
      const status = row.batch_id === null ? undefined : statusOf.get(row.batch_id);
      if (status === "paused") verdicts.set(row.id, "suspend");
      if (status === "canceled") canceled.push(row);
    }
    for (const [id, failure] of await failuresOf(tx, shard, canceled))
      verdicts.set(id, { failure });
    for (const id of await unsubscribed(tx, shard, locked, rows)) {
      verdicts.set(id, { failure: "topic_unsubscribed" });
    }
    return verdicts;
  },
};

function followStep(shard: number, batch: string, rows: readonly MessageRow[], at: Date): Step {
  const own = rows.filter((row) => row.batch_id === batch);
  const indexes = own.map((row) => row.batch_index as number);
  let [first = 0, last = 0] = [indexes[0], indexes[0]];
  for (const index of indexes) {
    if (index < first) first = index;
    if (index > last) last = index;
  }
  const values = [shard, at, batch, own.map((row) => row.id), indexes, first, last];
  return { statement: followBatch.call, values };
}

interface LockedBatch {
  readonly id: string;
  readonly status: BatchStatus;
  readonly account_id: string;
  readonly topic_id: string | null;
}

/** Messages to people who unsubscribed from the batch's topic while a message waited, say for quiet hours. */
async function unsubscribed(
  tx: Tx,
  shard: number,
  batches: readonly LockedBatch[],
  rows: readonly MessageRow[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { id, status, account_id, topic_id } of batches) {
    if (topic_id === null || status !== "sending") continue;
    const own = rows.filter((row) => row.batch_id === id && !row.awaiting_carrier);
    const phones = own.map((row) => row.to_number);
    const gone = await unsubscribedAmong(tx, { shard, id: account_id }, topic_id, phones);
    found.push(...own.filter((row) => gone.has(row.to_number)).map((row) => row.id));
  }
  return found;
}

/** Messages of batches whose topic needs an opt-in: its switch may have been turned on while they waited. */
async function needingOptIn(
  tx: Tx,
  shard: number,
  batches: readonly LockedBatch[],
  rows: readonly MessageRow[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { id, account_id, topic_id } of batches) {
    if (!(await topicNeedsOptIn(tx, { shard, id: account_id }, topic_id))) continue;
    found.push(...rows.filter((row) => row.batch_id === id).map((row) => row.id));
  }
  return found;
}

/**
 * Failure codes of messages of canceled batches. A recipient that waited for a retry is canceled. A message
 * that was with its carrier at the cancel, and that the carrier then refused, has failed without a retry.
 */
async function failuresOf(
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
): Promise<Map<string, FailureCode>> {
  if (rows.length === 0) return new Map();
  const recipients = await tx.query<{ message_id: string; state: BatchRecipientState }>(
    findRecipients,
    [shard, rows.map((row) => row.batch_id), rows.map((row) => row.batch_index)],
  );
  const stateOf = new Map(recipients.map((one) => [one.message_id, one.state]));
  return new Map(
    rows.map((row) => [
      row.id,
      stateOf.get(row.id) === "retrying" ? "canceled" : "carrier_unavailable",
    ]),
  );
}

function batchesOf(rows: readonly MessageRow[]): string[] {
  const ids = new Set<string>();
  for (const row of rows) if (row.batch_id !== null) ids.add(row.batch_id);
  return [...ids];
}
