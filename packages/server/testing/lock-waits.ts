import type pg from "pg";
import type { Kit } from "./kit.ts";

/** Whether a statement on the kit's database waits for a lock; on Citus, also on a worker. */
export async function someoneWaits(kit: Kit): Promise<boolean> {
  const view = kit.deps.db.isDistributed ? "citus_stat_activity" : "pg_stat_activity";
  const waiting = await kit.rows(
    `select 1 from ${view} where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}

/** Queries on another session than the lock's holder. */
type Rows = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

const IS_CITUS = "select to_regclass('citus_lock_waits') is not null as yes";

/**
 * Returns a check whether a statement with this text waits for a lock of this session. On Citus the two
 * sessions meet on a worker, under other process ids; the coordinator maps them.
 */
export async function watchHolder(
  holder: pg.Client,
  rows: Rows,
  text = "",
): Promise<() => Promise<boolean>> {
  const [{ yes: isCitus }] = (await holder.query(IS_CITUS)).rows;
  const name = isCitus ? "citus_backend_gpid()" : "pg_backend_pid()";
  const waiting = isCitus
    ? `select 1 from citus_lock_waits
        where blocking_gpid = $1::bigint and position($2 in lower(blocked_statement)) > 0`
    : `select 1 from pg_stat_activity
        where datname = current_database() and $1::int = any(pg_blocking_pids(pid))
          and position($2 in lower(query)) > 0`;
  const [{ session }] = (await holder.query(`select ${name} as session`)).rows;
  return async () => (await rows(waiting, [session, text])).length > 0;
}
