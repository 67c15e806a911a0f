import { statement } from "../db/driver/statement.ts";
import { holdsLease, LEASE_IS_FREE, RELEASE_LEASE, RENEW_LEASE, takeLease } from "./lease.ts";

export interface PeriodicRow {
  readonly due_at: number;
  readonly is_free: boolean;
}

export const readPeriodic = statement(
  "read_periodic_tasks",
  `select due_at, ${LEASE_IS_FREE} as is_free from periodic_tasks where name = any($1)`,
);

export const insertPeriodic = statement(
  "insert_periodic_tasks",
  `insert into periodic_tasks (name, due_at)
   select * from unnest($1::text[], $2::timestamptz[]) on conflict do nothing`,
);

export const claimPeriodic = statement(
  "claim_periodic_task",
  `with chosen as (
     select name from periodic_tasks
      where name = any($1) and due_at <= $2 and ${LEASE_IS_FREE}
      order by due_at limit 1
      for update skip locked
   )
   update periodic_tasks t set ${takeLease("$3", "$4")}
     from chosen c where t.name = c.name
   returning t.name, t.due_at`,
);

export const renewPeriodic = statement(
  "renew_periodic_task",
  `update periodic_tasks set ${RENEW_LEASE}
    where name = $1 and ${holdsLease("$2", "$3")} returning name`,
);

export const finishPeriodic = statement(
  "finish_periodic_task",
  `update periodic_tasks set due_at = $4, last_run_at = $5, last_error = $6, ${RELEASE_LEASE}
    where name = $1 and ${holdsLease("$2", "$3")} returning name`,
);
