import type { Tx } from "../db/database.ts";
import type { BatchRow, BatchStatus } from "./batch-row.ts";
import { moveBatch } from "./sql.ts";

/** What an action or a turn changes about a batch besides its counts. */
export interface Move {
  readonly status?: BatchStatus;
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
export async function move(tx: Tx, batch: BatchRow, by: Move, now: number): Promise<BatchRow> {
  const isOther = by.status !== undefined && by.status !== batch.status;
  const { held = false, ...changes } = by;
  const after: BatchRow = { ...batch, ...changes, changed_at: isOther ? now : batch.changed_at };
  const time = (ms: number | null) => (ms === null ? null : new Date(ms));
  await tx.query(moveBatch, [
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
  ]);
  return after;
}
