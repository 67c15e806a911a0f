import { formatTimestamp, SCHEDULE_MOVES } from "@longwave/contract";
import type { Base } from "../base.ts";
import { parseRule } from "./rule.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { claimSchedulesBefore, writeSchedules } from "./sql.ts";

const SCHEDULES_PER_CHUNK_MAX = 250;

/**
 * Goes on with the first occurrence at or after a moment, as a resumed schedule does: what lay before
 * is neither sent nor told. One that has none left ends. Answers how many schedules were moved on.
 */
export async function skipOccurrencesBefore(
  deps: Base,
  shard: number,
  beforeMs: number,
): Promise<number> {
  for (let skipped = 0; ; ) {
    const count = await deps.db.tx(async (tx) => {
      const values = [shard, new Date(beforeMs), SCHEDULES_PER_CHUNK_MAX];
      const rows = await tx.query<ScheduleRow>(claimSchedulesBefore, values);
      if (rows.length === 0) return 0;
      const after = rows.map((row) => movedOn(row, beforeMs));
      await tx.query(writeSchedules, [shard, JSON.stringify(after), new Date(deps.clock.now())]);
      return rows.length;
    });
    skipped += count;
    if (count < SCHEDULES_PER_CHUNK_MAX) return skipped;
  }
}

function movedOn(row: ScheduleRow, beforeMs: number) {
  const nextAt = parseRule(row).nextAfter(Math.max(beforeMs - 1, row.last_at ?? 0));
  return {
    id: row.id,
    status: nextAt === null ? SCHEDULE_MOVES.end.to : row.status,
    next_at: nextAt === null ? null : formatTimestamp(nextAt),
    last_at: null,
    failures: row.failures,
    failed_at: row.failed_at === null ? null : formatTimestamp(row.failed_at),
    pause_reason: null,
  };
}
