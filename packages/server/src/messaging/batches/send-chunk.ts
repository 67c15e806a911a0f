import { notifyStep } from "../../core/db/driver/notifications.ts";
import { assert } from "../../core/platform/assert.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { findSender } from "../../network/numbers/index.ts";
import type { PreparedMessage } from "../messages/index.ts";
import {
  type AcceptRow,
  acceptedOf,
  NO_SLOTS,
  type OutboundDeps,
  type Submission,
  submissionsOf,
  type WindowSlots,
  withSlots,
} from "../outbound/index.ts";
import { accountOf, type BatchRow, type DueBatch, type WaitingRow } from "./batch-row.ts";
import { type Chunk, createChunkComposer, failingChunk } from "./compose-chunk.ts";
import type { Outcome } from "./outcome.ts";
import {
  paceMs,
  ROWS_OF_FIRST_CHUNK_MAX,
  ROWS_PER_CHUNK_MAX,
  type RunSize,
  reserveRun,
} from "./pace.ts";
import { sendBatchChunk } from "./send-chunk-function.ts";
import { findBatch, postponeBatch, readWaiting } from "./sql.ts";

/** Delay of a batch whose carrier has no free window slot. */
const NO_SLOT_WAIT_MS = 50;

/** Limit of a run; `claimed` reports how many recipients the rest of the run may send. */
export interface RunLimit {
  readonly rowsMax: number;
  claimed(rows: number): void;
}

interface ChunkRow extends AcceptRow {
  readonly outcome: "sent" | "finished" | "moved" | "paced";
}

export interface Sent {
  readonly outcome: ChunkRow["outcome"];
  readonly submissions: readonly Submission[];
}

/**
 * Sends the next recipients of a batch. Composes each chunk without a lock while the database writes the
 * previous one; one function call writes a whole chunk. Stops when the batch has moved since it was read, or
 * when the pace of its number says so.
 */
export function sendChunks(
  deps: OutboundDeps,
  batch: DueBatch,
  limit: RunLimit,
  now: number,
): Promise<Sent> {
  return withSlots(deps.carriers, async (slots) => {
    const grantedPerSecond = await grantedRate(deps, batch);
    const size = reserveRun(deps, batch, slots, { rowsMax: limit.rowsMax, grantedPerSecond });
    if (size.rows === 0) {
      const until = new Date(now + NO_SLOT_WAIT_MS);
      await deps.db.query(postponeBatch, [batch.shard, batch.account_id, batch.id, until]);
      return { outcome: "paced", submissions: [] };
    }
    return sendRun(deps, batch, size, size.isOneChunk ? slots : NO_SLOTS, limit);
  });
}

/** Segments a second that networks granted the registration of a live batch's number; null without a limit. */
async function grantedRate(deps: OutboundDeps, batch: DueBatch): Promise<number | null> {
  if (batch.mode === "test") return null;
  const account = { id: batch.account_id, shard: batch.shard };
  const sender = await findSender(deps, account, batch.from_number);
  return deps.registrationPace.ratePerSecond(account, sender?.registration_id ?? null);
}

/** A chunk on its way to the database. */
interface ChunkInFlight {
  readonly chunk: Chunk;
  /** Recipients of the run from this chunk on. */
  readonly rowsLeft: number;
  readonly written: Promise<ChunkRow>;
}

/**
 * Keeps two chunks in flight, so that the database is not idle between them. An account's chunks share a
 * connection and arrive in order; the second answers "moved" if the first has failed.
 */
async function sendRun(
  deps: OutboundDeps,
  batch: DueBatch,
  { rows, isOneChunk, ratePerSecond }: RunSize,
  slots: WindowSlots,
  limit: RunLimit,
): Promise<Sent> {
  const composer = createChunkComposer(deps, batch, accountOf(batch), slots);
  const firstMax = rows > ROWS_PER_CHUNK_MAX ? ROWS_OF_FIRST_CHUNK_MAX : rows;
  const submissions: Submission[] = [];
  let outcome: Sent["outcome"] = "moved";
  let rowsLeft = rows;
  limit.claimed(rowsLeft);
  let composing = composer.compose(batch.next_index, firstMax);
  const sendNext = async (): Promise<ChunkInFlight | null> => {
    const chunk = rowsLeft > 0 ? await composing : null;
    if (chunk === null) return null;
    const count = chunk.messages.length + chunk.refused.length;
    const written = writeChunk(deps, batch, chunk, paceMs(count, ratePerSecond));
    const sent = { chunk, rowsLeft, written };
    rowsLeft = isOneChunk ? 0 : rowsLeft - count;
    composing = composer.compose(chunk.nextIndex, Math.min(rowsLeft, ROWS_PER_CHUNK_MAX));
    // Prevents unhandled rejections if the chunk before fails first.
    for (const promise of [written, composing]) promise.catch(() => {});
    return sent;
  };
  let current = await sendNext();
  if (current === null) await assertMoved(deps, batch);
  while (current !== null) {
    const next = sendNext();
    next.catch(() => {});
    limit.claimed(current.rowsLeft);
    const { chunk, written } = current;
    let row: ChunkRow;
    try {
      row = await written;
    } catch (error) {
      await endOf(next);
      throw error;
    }
    if (row.outcome === "moved" || row.outcome === "paced") {
      await endOf(next);
      slots.releaseAll();
      // "moved" after a chunk of this run: another process continues the batch.
      return { outcome: row.outcome === "paced" ? "paced" : outcome, submissions };
    }
    outcome = row.outcome;
    submissions.push(...submissionsOf(chunk.messages, acceptedOf(chunk.messages, [row]), slots));
    current = await next;
  }
  return { outcome, submissions };
}

/** Waits for a chunk whose outcome no longer matters. */
async function endOf(next: Promise<ChunkInFlight | null>): Promise<void> {
  await next.then((chunk) => chunk?.written).catch(() => {});
}

/** Fails the next recipient after a chunk of that recipient alone has failed. No effect if the batch has moved. */
export async function failNext(deps: OutboundDeps, batch: DueBatch): Promise<void> {
  const values = [batch.shard, batch.id, batch.next_index, 1];
  const [next] = await deps.db.query<WaitingRow>(readWaiting, values);
  if (next) await writeChunk(deps, batch, failingChunk(deps, batch, next), null);
}

async function writeChunk(
  deps: OutboundDeps,
  batch: DueBatch,
  { messages, refused, fromIndex, nextIndex, accept }: Chunk,
  occupiedMs: number | null,
): Promise<ChunkRow> {
  const values = [
    ...accept.values,
    batch.account_id,
    batch.id,
    fromIndex,
    nextIndex,
    occupiedMs,
    messages.map(stateOf),
    refused.map((one) => one.index),
    refused.map((one) => one.state),
    refused.map((one) => one.failureCode),
  ];
  const needsDispatch = messages.some(
    ({ row, carrier }) => row.next_attempt_at !== null && !carrier,
  );
  const steps = [
    { statement: sendBatchChunk.call, values },
    ...(needsDispatch ? [notifyStep("longwave_work", LANES.dispatch)] : []),
  ];
  const [rows] = await deps.db.execPipelined(steps, { accountId: batch.account_id });
  const [row] = rows as ChunkRow[];
  assert(row, "send_batch_chunk_v1 returns one row.");
  return row;
}

function stateOf({ row, carrier }: PreparedMessage): Outcome["state"] {
  if (row.status === "sent" || row.status === "failed") return row.status;
  return carrier ? "handed" : "retrying";
}

/** Asserts that another process moved the batch when it has no waiting recipients; otherwise its count is wrong. */
async function assertMoved(deps: OutboundDeps, batch: DueBatch): Promise<void> {
  const values = [batch.shard, batch.account_id, batch.id];
  const [read] = await deps.db.query<BatchRow>(findBatch, values);
  const isSame = read?.next_index === batch.next_index && read.waiting === batch.waiting;
  assert(!isSame, `Batch ${batch.id} counts ${batch.waiting} waiting recipients and has none.`);
}
