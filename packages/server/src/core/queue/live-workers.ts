import { hostname } from "node:os";
import type { Base } from "../base.ts";
import { statement } from "../db/driver/statement.ts";

const HEARTBEAT_MS = 3_000;
/** A worker without a heartbeat for this long counts as dead: the length of a lease. */
const WORKER_SILENT_SECONDS = 15;

// Also reinserts a row that was swept while the process was suspended.
const upsertWorker = statement(
  "upsert_worker",
  `insert into workers as w (id, host, pid, roles, started_at, seen_at)
   values ($1, $2, $3, $4, statement_timestamp(), statement_timestamp())
   on conflict (id) do update set seen_at = excluded.seen_at`,
);

const deleteWorker = statement("delete_worker", "delete from workers where id = $1");

export const sweepWorkers = statement(
  "sweep_workers",
  "delete from workers where seen_at < statement_timestamp() - interval '1 day'",
);

export const countLiveWorkers = statement(
  "count_live_workers",
  `select count(*)::int as workers from workers
    where 'worker' = any(roles)
      and seen_at > statement_timestamp() - interval '${WORKER_SILENT_SECONDS} seconds'`,
);

/** Registers the process as a worker and keeps its heartbeat fresh. */
export async function registerWorker(
  deps: Base,
  id: string,
): Promise<{ unregister(): Promise<void> }> {
  const values = [id, hostname(), process.pid, deps.config.roles];
  await deps.db.query(upsertWorker, values);
  const stopped = new AbortController();
  const beat = async () => {
    for (;;) {
      await deps.clock.sleep(HEARTBEAT_MS, stopped.signal);
      if (stopped.signal.aborted) return;
      await deps.db.query(upsertWorker, values).catch((error: unknown) => {
        deps.log.warn({ err: error }, "workers: heartbeat failed");
      });
    }
  };
  const beating = beat();
  return {
    async unregister() {
      stopped.abort();
      await beating;
      await deps.db.query(deleteWorker, [id]).catch(() => {});
    },
  };
}
