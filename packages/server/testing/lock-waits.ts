import type { Kit } from "./kit.ts";

/** Whether a statement of the kit's database stands before a lock; on Citus it may be one of a worker. */
export async function someoneWaits(kit: Kit): Promise<boolean> {
  const view = kit.deps.db.isDistributed ? "citus_stat_activity" : "pg_stat_activity";
  const waiting = await kit.rows(
    `select 1 from ${view} where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}
