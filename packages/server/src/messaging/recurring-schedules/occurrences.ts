import { OCCURRENCES_AHEAD_SHOWN, type ScheduleOccurrence } from "@longwave/contract";
import { type ListScope, type PageAnswer, pageAnswer, pageRequest } from "../api/pages.ts";
import type { Base } from "../base.ts";
import { composed, sql } from "../db/sql-builder.ts";
import { occurrencesFrom } from "./due.ts";
import { presentOccurrence, presentUpcoming } from "./present.ts";
import { parseRule } from "./rule.ts";
import type { OccurrenceRow, ScheduleRow } from "./schedule-row.ts";

/** A schedule's occurrences as one list, latest first: those ahead, which are computed, then the rows. */
export async function listOccurrences(
  deps: Base,
  scope: ListScope,
  schedule: ScheduleRow,
  query: { limit?: number; cursor?: string },
): Promise<PageAnswer<ScheduleOccurrence>> {
  const page = pageRequest(deps.secrets, scope, query);
  const before = page.after ? (page.after[0] as number) : Number.POSITIVE_INFINITY;
  const ahead = aheadOf(schedule).filter((at) => at < before);
  const items: { at: number; row: OccurrenceRow | null }[] = ahead
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

function aheadOf(schedule: ScheduleRow): number[] {
  if (schedule.next_at === null) return [];
  const rule = parseRule(schedule);
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
