import {
  BATCH_ATTEMPTS_MAX,
  BATCH_MOVES,
  type BatchStatus,
  type ControlledBatch,
  FAILURE_CODES,
  FAILURES,
  Problem,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { expect } from "../../core/platform/assert.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context } from "../../http/api/handler.ts";
import { cancelQueued } from "../outbound/index.ts";
import type { BatchRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { lockOwnBatch } from "./list.ts";
import { change, move } from "./move.ts";
import { presentBatch } from "./present.ts";
import { lockBatch, readRetrying, requeueFailed } from "./sql.ts";

interface Controlled {
  readonly batch: BatchRow;
  readonly affected: number;
}

type Action = (deps: Deps, tx: Tx, batch: BatchRow, now: number) => Promise<Controlled>;
type ActionName = "pause" | "resume" | "cancel" | "retry";

/** Bounds the transaction of a cancel. */
const FAILED_PER_CANCEL_MAX = 1_000;

const RETRYABLE = FAILURE_CODES.filter((code) => FAILURES[code].retryable);

/**
 * Pauses, resumes, cancels or retries a batch under the lock of its row. Every submit of the batch takes
 * the same lock, so no submit that starts after the commit misses the action.
 */
export async function controlBatch(
  context: Context<Principal, Deps>,
  id: string,
  name: ActionName,
): Promise<{ status: 200; body: ControlledBatch }> {
  const { deps, caller } = context;
  const answer = await context.transact(async (tx) => {
    const batch = await lockOwnBatch(tx, caller, id);
    const done = await ACTIONS[name](deps, tx, batch, deps.clock.now());
    await notify(tx, "longwave_work", LANES.batches);
    const { batch: shown, affected } = done;
    // Waiting recipients follow the batch's row; messages that wait for a retry fail one by one.
    const isSwept = shown.status !== BATCH_MOVES.cancel.to || shown.wake_index === null;
    const body = { ...presentBatch(shown), affected, sweep_complete: isSwept };
    return { status: 200 as const, body };
  });
  deps.wakes.wake(LANES.batches);
  return answer;
}

const ACTIONS: Readonly<Record<ActionName, Action>> = {
  async pause(_deps, tx, batch, now) {
    checkStatus(batch, BATCH_MOVES.pause.from, "paused");
    const changes = { due_at: null, wake_index: null };
    return { batch: await move(tx, batch, "pause", changes, now), affected: waitingOf(batch) };
  },

  async resume(_deps, tx, batch, now) {
    checkStatus(batch, BATCH_MOVES.resume.from, "resumed");
    const affected = waitingOf(batch);
    if (batch.scheduled_at !== null && batch.scheduled_at > now) {
      const changes = { due_at: batch.scheduled_at };
      return { batch: await move(tx, batch, "resume_later", changes, now), affected };
    }
    const changes = {
      due_at: now,
      started_at: batch.started_at ?? now,
      wake_index: wakeIndexOf(batch),
    };
    return { batch: await move(tx, batch, "resume", changes, now), affected };
  },

  async cancel(deps, tx, batch, now) {
    if (batch.status === BATCH_MOVES.cancel.to && batch.wake_index !== null) {
      return { batch: await failRetrying(deps, tx, batch, now), affected: 0 };
    }
    checkStatus(batch, BATCH_MOVES.cancel.from, "canceled");
    const wakeIndex = wakeIndexOf(batch);
    const changes = {
      due_at: wakeIndex === null ? null : now,
      wake_index: wakeIndex,
      retry_running: false,
      canceled_at: now,
    };
    const canceled = await move(tx, batch, "cancel", changes, now);
    const after = wakeIndex === null ? canceled : await failRetrying(deps, tx, canceled, now);
    return { batch: after, affected: waitingOf(batch) };
  },

  async retry(_deps, tx, batch, now) {
    if (batch.retry_running) {
      throw new Problem("retry_in_progress", "A retry of this batch is still running.");
    }
    checkStatus(batch, BATCH_MOVES.retry.from, "retried");
    const values = [batch.shard, batch.id, RETRYABLE, BATCH_ATTEMPTS_MAX, new Date(now)];
    const [again] = await tx.query<{ rows: number }>(requeueFailed, values);
    const affected = again?.rows ?? 0;
    if (affected === 0) return { batch, affected };
    const counted: BatchRow = {
      ...batch,
      status: BATCH_MOVES.retry.to,
      changed_at: now,
      waiting: batch.waiting + affected,
      failed: batch.failed - affected,
    };
    const changes = { due_at: now, retry_running: true, completed_at: null };
    return { batch: await change(tx, counted, changes), affected };
  },
};

/**
 * Fails messages of a canceled batch that wait for a carrier's retry, with their money back, before the answer. The
 * lane fails those above the limit.
 */
async function failRetrying(deps: Deps, tx: Tx, batch: BatchRow, now: number): Promise<BatchRow> {
  const { shard, id } = batch;
  const rows = await tx.query<{ index: number; message_id: string }>(readRetrying, [
    ...[shard, id, batch.wake_index ?? 0],
    FAILED_PER_CANCEL_MAX,
  ]);
  const ids = rows.map((row) => row.message_id);
  await cancelQueued(deps, tx, shard, ids);
  const [after] = await tx.query<BatchRow>(lockBatch, [shard, batch.account_id, id]);
  const last = rows.at(-1);
  const isLeft = last !== undefined && rows.length === FAILED_PER_CANCEL_MAX;
  return change(tx, expect(after, "a locked batch is gone"), {
    due_at: isLeft ? now : null,
    wake_index: isLeft ? last.index + 1 : null,
  });
}

/** Recipients that wait for their chunk or for a carrier's retry. */
function waitingOf(batch: BatchRow): number {
  return batch.waiting + batch.retrying;
}

function wakeIndexOf(batch: BatchRow): number | null {
  return batch.retrying > 0 ? 0 : null;
}

export function checkStatus(batch: BatchRow, sources: readonly BatchStatus[], done: string): void {
  if (sources.includes(batch.status)) return;
  throw new Problem(
    "invalid_state",
    `This batch is ${batch.status}; only one that is ${sources.join(" or ")} can be ${done}.`,
  );
}
