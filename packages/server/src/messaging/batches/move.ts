import { BATCH_MOVES, type batchMachine, type MoveOf } from "@longwave/contract";
import type { Tx } from "../../core/db/driver/database.ts";
import { assert } from "../../core/platform/assert.ts";
import type { BatchRow } from "./batch-row.ts";
import { moveBatch } from "./sql.ts";

/** Columns that an action or the lane changes beside status and counts. */
export interface Changes {
  readonly due_at: number | null;
  /** Whether the batch waits until its account may send again. */
  readonly suspended?: boolean;
  readonly wake_index?: number | null;
  readonly retry_running?: boolean;
  readonly started_at?: number | null;
  readonly completed_at?: number | null;
  readonly canceled_at?: number | null;
}

/** Moves a batch whose row the caller has locked; returns the new row. */
export async function move<B extends BatchRow>(
  tx: Tx,
  batch: B,
  on: MoveOf<typeof batchMachine>,
  changes: Changes,
  now: number,
): Promise<B> {
  const { from, to } = BATCH_MOVES[on];
  return write(tx, { ...batch, ...changes, status: to, changed_at: now }, from, changes);
}

/** Changes a batch whose row the caller has locked, without a change of status. */
export async function change<B extends BatchRow>(tx: Tx, batch: B, changes: Changes): Promise<B> {
  return write(tx, { ...batch, ...changes }, [batch.status], changes);
}

async function write<B extends BatchRow>(
  tx: Tx,
  after: B,
  from: readonly string[],
  { suspended = false }: Changes,
): Promise<B> {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms));
  const moved = await tx.query(moveBatch, [
    after.shard,
    after.id,
    after.status,
    time(after.due_at),
    suspended,
    after.wake_index,
    after.retry_running,
    time(after.changed_at),
    time(after.started_at),
    time(after.completed_at),
    time(after.canceled_at),
    from,
  ]);
  assert(moved.length === 1, `A batch that was locked did not become ${after.status}.`);
  return after;
}
