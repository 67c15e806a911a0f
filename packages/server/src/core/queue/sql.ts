import { statement } from "../db/driver/statement.ts";
import { dueByShard } from "./lane.ts";
import { holdsLease, LEASE_IS_FREE, RELEASE_LEASE, RENEW_LEASE, takeLease } from "./lease.ts";

export interface JobRow {
  readonly shard: number;
  readonly id: string;
  readonly task: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly crash_claims: number;
}

export const insertJob = statement(
  "insert_job",
  `insert into jobs (shard, id, account_id, task, payload, run_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Includes claimed jobs. Tasks unknown to this version wait for a version that knows them. */
export const jobsDue = dueByShard("jobs_due", {
  table: "jobs",
  dueAt: "run_at",
  where: "failed_at is null and task = any($1)",
});

export const jobsWaiting = dueByShard("jobs_waiting", {
  table: "jobs",
  dueAt: "run_at",
  where: `failed_at is null and task = any($1) and ${LEASE_IS_FREE}`,
});

/**
 * Claims that ended with a vanished worker before a job becomes a suspect. After one, the culprit was more likely
 * another of the jobs that the dead worker held.
 */
const SUSPECT_CLAIMS = 2;

export function isSuspect(job: JobRow): boolean {
  return job.crash_claims >= SUSPECT_CLAIMS;
}

/** Claims the job that has waited longest; a suspect only when $6 allows it. */
export const claimJob = statement(
  "claim_job",
  `with chosen as (
     select id from jobs
      where shard = $1 and failed_at is null and run_at <= $2 and task = any($3)
        and ${LEASE_IS_FREE}
        and ($6 or crash_claims + (lease_until is not null)::int < ${SUSPECT_CLAIMS})
      order by run_at, id limit 1
      for update skip locked
   )
   update jobs j set crash_claims = j.crash_claims + (j.lease_until is not null)::int,
          ${takeLease("$4", "$5")}
     from chosen c where j.shard = $1 and j.id = c.id
   returning j.shard, j.id, j.task, j.payload, j.attempts, j.crash_claims`,
);

// The statements below run behind the lease's fence: a job that another worker has taken over does not match.

export const renewJob = statement(
  "renew_job",
  `update jobs set ${RENEW_LEASE}
    where shard = $1 and id = $2 and ${holdsLease("$3", "$4")} returning id`,
);

export const lockHeldJob = statement(
  "lock_held_job",
  `select id from jobs where shard = $1 and id = $2 and ${holdsLease("$3", "$4")} for update`,
);

export const finishJob = statement(
  "finish_job",
  `delete from jobs where shard = $1 and id = $2 and ${holdsLease("$3", "$4")} returning id`,
);

export const retryJob = statement(
  "retry_job",
  `update jobs set run_at = $5, last_error = $6, attempts = attempts + 1, ${RELEASE_LEASE}
    where shard = $1 and id = $2 and ${holdsLease("$3", "$4")} returning id`,
);

export const releaseJob = statement(
  "release_job",
  `update jobs set ${RELEASE_LEASE}
    where shard = $1 and id = $2 and ${holdsLease("$3", "$4")} returning id`,
);

export const giveUpJob = statement(
  "give_up_job",
  `update jobs set failed_at = $5, last_error = $6, ${RELEASE_LEASE}
    where shard = $1 and id = $2 and ${holdsLease("$3", "$4")} returning id`,
);
