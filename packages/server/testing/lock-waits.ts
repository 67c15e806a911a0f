import type { Kit } from "./kit.ts";

/** How many statements of the kit's database stand before a lock; on Citus they may be ones of a worker. */
export async function lockWaits(kit: Kit): Promise<number> {
  const view = kit.deps.db.isDistributed ? "citus_stat_activity" : "pg_stat_activity";
  const waiting = await kit.rows(
    `select 1 from ${view} where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length;
}

export async function someoneWaits(kit: Kit): Promise<boolean> {
  return (await lockWaits(kit)) > 0;
}
