import type { AutomationRunStatus } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";

/** Runs read per automation: its newest ones. */
export const RUNS_COUNTED_MAX = 1_000;

/** Runs of an automation, among the newest RUNS_COUNTED_MAX. */
export interface RunTotals {
  readonly automation_id: string;
  readonly runs: number;
  readonly failed: number;
  readonly last_status: AutomationRunStatus | null;
  readonly last_started_at: number | null;
}

const readTotals = statement(
  "read_run_totals",
  `select a.id as automation_id, count(r.id)::int as runs,
          (count(*) filter (where r.status = 'failed'))::int as failed,
          (array_agg(r.status order by r.id desc))[1] as last_status,
          max(r.started_at) as last_started_at
     from automations a
     left join lateral (
       select id, status, started_at from automation_runs
        where shard = $1 and automation_id = a.id and not is_test
        order by id desc limit ${RUNS_COUNTED_MAX}) r on true
    where a.shard = $1 and a.account_id = $2 and a.id = any($3::uuid[])
    group by a.id`,
);

/** Counts the runs of automations, without test runs. */
export function readRunTotals(
  db: Queryable,
  { shard, id }: { readonly shard: number; readonly id: string },
  automationIds: readonly string[],
): Promise<RunTotals[]> {
  return db.query<RunTotals>(readTotals, [shard, id, automationIds]);
}
