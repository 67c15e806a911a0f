import { BATCH_MOVES, type batchMachine, type MoveOf } from "@longwave/contract";
import type { Tx } from "../db/database.ts";
import { assert } from "../platform/assert.ts";
import type { BatchRow } from "./batch-row.ts";
import { moveBatch } from "./sql.ts";

/** What an action or a turn changes about a batch besides its status and its counts. */
export interface Changes {
  readonly due_at: number | null;
  /** Whether it waits for its account to be active again. */
  readonly held?: boolean;
  readonly wake_index?: number | null;
  readonly retry_running?: boolean;
  readonly started_at?: number | null;
  readonly completed_at?: number | null;
  readonly canceled_at?: number | null;
}

/** Moves a batch whose row is locked; answers how it stands then. */
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

/** Changes a batch whose row is locked, and leaves it in the state it is in. */
export async function change<B extends BatchRow>(tx: Tx, batch: B, changes: Changes): Promise<B> {
  return write(tx, { ...batch, ...changes }, [batch.status], changes);
}

async function write<B extends BatchRow>(
  tx: Tx,
  after: B,
  from: readonly string[],
  { held = false }: Changes,
): Promise<B> {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms));
  const moved = await tx.query(moveBatch, [
    after.shard,
    after.id,
    after.status,
    time(after.due_at),
    held,
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
