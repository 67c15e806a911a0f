import type { Base } from "../../core/base.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { skipOccurrencesBefore } from "../../messaging/recurring-schedules/index.ts";
import { expireBatches, expireMessages, expireRuns, expireScheduled } from "./sql.ts";

const ROWS_PER_CHUNK_MAX = 1_000;

/**
 * Discards work that was due before a time: marks it as expired, and its lanes fail it as usual, with events
 * and money. Safe to repeat after a crash.
 */
export async function discardDueBefore(deps: Base, beforeMs: number): Promise<void> {
  const before = new Date(beforeMs);
  const now = new Date(deps.clock.now());
  for (let shard = 0; shard < deps.shards; shard += 1) {
    await inChunks(deps, expireMessages, [shard, before, now, ROWS_PER_CHUNK_MAX]);
    await inChunks(deps, expireScheduled, [shard, before, ROWS_PER_CHUNK_MAX]);
    await deps.db.query(expireBatches, [shard, before, now]);
    await inChunks(deps, expireRuns, [shard, before, ROWS_PER_CHUNK_MAX]);
    await skipOccurrencesBefore(deps, shard, beforeMs);
  }
}

/** Repeats a statement until it finds fewer rows than a chunk; it never finds changed rows again. */
async function inChunks(deps: Base, used: Statement, values: readonly unknown[]): Promise<void> {
  for (;;) {
    const changed = await deps.db.query(used, values);
    if (changed.length < ROWS_PER_CHUNK_MAX) return;
  }
}
