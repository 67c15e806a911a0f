import { formatTimestamp, SCHEDULE_MOVES } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Log } from "../../core/platform/log.ts";
import { storedRule } from "./due.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { claimSchedulesBefore, writeSchedules } from "./sql.ts";

const SCHEDULES_PER_CHUNK_MAX = 250;

/**
 * Skips occurrences before `beforeMs`, as resume does: they are neither sent nor reported as missed. A schedule
 * without further occurrences ends. Returns the number of schedules changed.
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
      const after = rows.map((row) => afterSkip(deps.log, row, beforeMs));
      await tx.query(writeSchedules, [shard, JSON.stringify(after), new Date(deps.clock.now())]);
      return rows.length;
    });
    skipped += count;
    if (count < SCHEDULES_PER_CHUNK_MAX) return skipped;
  }
}

function afterSkip(log: Log, row: ScheduleRow, beforeMs: number) {
  const rule = storedRule(log, row);
  const nextAt = rule?.nextAfter(Math.max(beforeMs - 1, row.last_at ?? 0)) ?? null;
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
