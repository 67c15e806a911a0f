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
import { fromApiId } from "../../core/platform/ids.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context } from "../../http/api/handler.ts";
import { inMode, type ModedCaller } from "../../http/api/modes.ts";
import type { BatchRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { noBatch } from "./list.ts";
import { change, move } from "./move.ts";
import { presentBatch } from "./present.ts";
import { lockBatch, requeueFailed } from "./sql.ts";

interface Controlled {
  readonly batch: BatchRow;
  readonly affected: number;
}

type Action = (deps: Deps, tx: Tx, batch: BatchRow, now: number) => Promise<Controlled>;
type ActionName = "pause" | "resume" | "cancel" | "retry";

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
    // Waiting recipients follow the batch's row, so no sweep over them is ever left unfinished.
    const body = { ...presentBatch(done.batch), affected: done.affected, sweep_complete: true };
    return { status: 200 as const, body };
  });
  deps.wakes.wake(LANES.batches);
  return answer;
}

/** Locks the batch of a path until commit; 404 if the account and mode have none. */
async function lockOwnBatch(tx: Tx, { account, mode }: ModedCaller, id: string): Promise<BatchRow> {
  const uuid = fromApiId("batch", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await tx.query<BatchRow>(lockBatch, values) : [];
  const batch = inMode(found, mode);
  if (batch === null) throw noBatch(id);
  return batch;
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

  async cancel(_deps, tx, batch, now) {
    checkStatus(batch, BATCH_MOVES.cancel.from, "canceled");
    const wakeIndex = wakeIndexOf(batch);
    const changes = {
      due_at: wakeIndex === null ? null : now,
      wake_index: wakeIndex,
      retry_running: false,
      canceled_at: now,
    };
    return { batch: await move(tx, batch, "cancel", changes, now), affected: waitingOf(batch) };
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

/** Recipients that wait for their chunk or for a carrier's retry. */
function waitingOf(batch: BatchRow): number {
  return batch.waiting + batch.retrying;
}

function wakeIndexOf(batch: BatchRow): number | null {
  return batch.retrying > 0 ? 0 : null;
}

function checkStatus(batch: BatchRow, sources: readonly BatchStatus[], done: string): void {
  if (sources.includes(batch.status)) return;
  throw new Problem(
    "invalid_state",
    `This batch is ${batch.status}; only one that is ${sources.join(" or ")} can be ${done}.`,
  );
}
