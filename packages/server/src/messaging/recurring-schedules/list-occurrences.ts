import { OCCURRENCES_AHEAD_SHOWN, type ScheduleOccurrence } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import type { Log } from "../../core/platform/log.ts";
import { type ListScope, type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { occurrencesFrom, storedRule } from "./due.ts";
import { presentOccurrence, presentUpcoming } from "./present.ts";
import type { OccurrenceRow, ScheduleRow } from "./schedule-row.ts";

/** Lists occurrences, latest first: upcoming ones, computed from the rule, then stored rows. */
export async function listOccurrences(
  deps: Base,
  scope: ListScope,
  schedule: ScheduleRow,
  query: { limit?: number; cursor?: string },
): Promise<PageAnswer<ScheduleOccurrence>> {
  const page = pageRequest(deps.secrets, scope, query);
  const before = page.after ? (page.after[0] as number) : Number.POSITIVE_INFINITY;
  const upcoming = upcomingOf(deps.log, schedule).filter((at) => at < before);
  const items: { at: number; row: OccurrenceRow | null }[] = upcoming
    .reverse()
    .map((at) => ({ at, row: null }));
  if (items.length <= page.limit) {
    const rows = await readBefore(deps, schedule, before, page.limit + 1 - items.length);
    items.push(...rows.map((row) => ({ at: row.occurrence_at, row })));
  }
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    items,
    ({ at }) => [at],
    ({ at, row }) => (row ? presentOccurrence(row) : presentUpcoming(schedule.id, at)),
  );
}

function upcomingOf(log: Log, schedule: ScheduleRow): number[] {
  if (schedule.next_at === null) return [];
  const rule = storedRule(log, schedule);
  if (rule === null) return [];
  return occurrencesFrom(rule, schedule.next_at, Number.POSITIVE_INFINITY, OCCURRENCES_AHEAD_SHOWN);
}

function readBefore(
  deps: Base,
  { shard, account_id, id }: ScheduleRow,
  beforeMs: number,
  limit: number,
): Promise<OccurrenceRow[]> {
  const before = Number.isFinite(beforeMs) ? sql`and occurrence_at < ${new Date(beforeMs)}` : sql``;
  return deps.db.query<OccurrenceRow>(
    composed(
      "list_schedule_occurrences",
      sql`select schedule_id, occurrence_at, status, message_id, failure_code, carrier_code, reason
            from schedule_occurrences
           where shard = ${shard} and account_id = ${account_id} and schedule_id = ${id} ${before}
           order by occurrence_at desc limit ${limit}`,
    ),
  );
}
