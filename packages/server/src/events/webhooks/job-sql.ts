import { type Mode, WEBHOOK_JOB_MOVES } from "@longwave/contract";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { EVERY_SHARD, EVERY_SHARD_ON_CITUS, notByIndex } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { holdsLease, LEASE_IS_FREE, RELEASE_LEASE, takeLease } from "../../core/queue/lease.ts";

const { retry_due, endpoint_paused, pause_ended } = WEBHOOK_JOB_MOVES;

/**
 * The oldest ready job of every endpoint that has one. The recursion hops from endpoint to endpoint: one
 * index probe each, however many jobs an endpoint has. $1 is the shard.
 */
const HEADS = `heads as (
     (select account_id, endpoint_id, due_at, lease_until from webhook_jobs
       where shard = $1 and queue_state = 'ready' order by endpoint_id, due_at limit 1)
     union all
     select n.* from heads h
      cross join lateral (
        select account_id, endpoint_id, due_at, lease_until from webhook_jobs
         where shard = $1 and queue_state = 'ready' and endpoint_id > h.endpoint_id
         order by endpoint_id, due_at limit 1
      ) n
   )`;

/**
 * Jobs by their ids, for an update or delete: rows are found by the primary key and filtered by a hash, also
 * in a plan that PostgreSQL made while the table was empty.
 */
function jobsIn(ids: string): string {
  return `j.shard = $1 and j.event_id = any(array(select event_id from ${ids}))
        and ${notByIndex(`(j.event_id, j.endpoint_id) in (select event_id, endpoint_id from ${ids})`)}`;
}

/** One row of a claim. The first row has the count of retries that fell due, and may have no job. */
export interface ClaimRow {
  readonly retries_due: number;
  readonly fate: "claimed" | "paused" | "gone" | null;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly attempt: number;
  /** The endpoint's URL and encrypted secret: on the first of its jobs, null on the others. */
  readonly url: string | null;
  readonly secret: Buffer | null;
  readonly type: string;
  readonly mode: Mode;
  readonly created_at: number;
  readonly data: string;
}

/**
 * Claims ready jobs, endpoint by endpoint and oldest first. $2 now, $3 and $4 the lease, $5 the most jobs, $6 and $7
 * endpoints and their free slots, $8 the slots of all others, $9 the endpoint to begin after. Saturated endpoints have
 * no slots, so the claim reads one row of each.
 * The claim also pauses the jobs of paused endpoints, deletes jobs whose endpoint or event is gone, and makes due
 * retries ready for the next claim. The lock on a paused endpoint waits for a concurrent change: either the change sees
 * the paused jobs, or the claim sees an active endpoint.
 * The event's id is a range and not an equality: only the primary key has that order. With a plan made while a month's
 * partition was empty, PostgreSQL could read the account's whole partition by another index.
 */
export const claimJobs = statement(
  "claim_webhook_jobs",
  `with recursive ${HEADS}, endpoints as (
     select h.account_id, h.endpoint_id, w.id is not null as is_known, w.active, w.url, w.secret,
            coalesce(k.slots, $8::int) as slots
       from heads h
       left join unnest($6::uuid[], $7::int[]) as k (endpoint_id, slots) on k.endpoint_id = h.endpoint_id
       left join webhook_endpoints w
         on w.shard = $1 and w.account_id = h.account_id and w.id = h.endpoint_id
      where coalesce(k.slots, $8::int) > 0
   ), found as (
     select j.*, o.is_known, o.active, o.url, o.secret
       from (select * from endpoints order by endpoint_id <= $9::uuid, endpoint_id) o
      cross join lateral (
        select account_id, endpoint_id, event_id, attempt, due_at from webhook_jobs
         where shard = $1 and queue_state = 'ready' and endpoint_id = o.endpoint_id and ${LEASE_IS_FREE}
         order by due_at limit o.slots
         for update skip locked
      ) j
      limit $5
   ), decided as (
     select f.*, e.type, e.mode, e.created_at, e.data,
            row_number() over (partition by f.endpoint_id order by f.due_at) as rank,
            case when not f.is_known then 'gone'
                 when not f.active then 'paused'
                 when e.type is null then 'gone'
                 else 'claimed' end as fate
       from found f
       left join lateral (
         select type, mode, created_at, data::text as data from events
          where f.active and shard = $1 and account_id = f.account_id
            and id >= f.event_id and id <= f.event_id
          order by id limit 1
       ) e on true
   ), claimed as (
     select event_id, endpoint_id from decided where fate = 'claimed'
   ), taken as (
     update webhook_jobs j set ${takeLease("$3", "$4")} where ${jobsIn("claimed")}
   ), gone as (
     select event_id, endpoint_id from decided where fate = 'gone'
   ), deleted as (
     delete from webhook_jobs j where ${jobsIn("gone")}
   ), locked as (
     select id from webhook_endpoints
      where shard = $1 and account_id = any(array(select account_id from decided where fate = 'paused'))
        and id = any(array(select endpoint_id from decided where fate = 'paused')) and not active
      order by id for share
   ), unsent as (
     select event_id, endpoint_id from decided where endpoint_id in (select id from locked)
   ), paused as (
     update webhook_jobs j set queue_state = ${sqlLiteral(endpoint_paused.to)}
      where ${comesFrom("j.queue_state", endpoint_paused)} and ${jobsIn("unsent")}
   ), late as (
     select event_id, endpoint_id from webhook_jobs
      where shard = $1 and ${comesFrom("queue_state", retry_due)} and due_at <= $2
      order by due_at limit $5 for update skip locked
   ), woken as (
     update webhook_jobs j set queue_state = ${sqlLiteral(retry_due.to)} where ${jobsIn("late")}
   )
   select l.retries_due, d.fate, d.account_id, d.endpoint_id, d.event_id, d.attempt,
          case when d.rank = 1 then d.url end as url, case when d.rank = 1 then d.secret end as secret,
          d.type, d.mode, d.created_at, d.data
     from (select count(*)::int as retries_due from late) l
     left join decided d on true
    order by d.endpoint_id <= $9::uuid, d.endpoint_id, d.rank`,
  { moves: [retry_due, endpoint_paused], profile: "queues" },
);

/**
 * One ready job and the earliest delayed job of each shard. Claimed jobs count: `advance` of the test clock waits for
 * them. One statement, because jobs move between the two states while an attempt is recorded: two statements could
 * miss a job that moves from the one read later to the one read before.
 */
export const waitingJobs = statement("waiting_webhook_jobs", waitingJobsOf(EVERY_SHARD), {
  onCitus: waitingJobsOf(EVERY_SHARD_ON_CITUS),
  acrossShards: "finds out which shards have due work",
});

function waitingJobsOf(shards: string): string {
  const oneOf = (state: "ready" | "delayed", order: string) =>
    `select s.shard, d.due_at
     from ${shards}
    cross join lateral (
      select due_at from webhook_jobs
       where shard = s.shard and queue_state = '${state}' order by ${order} limit 1
    ) d`;
  return `${oneOf("ready", "endpoint_id")}
    union all
   ${oneOf("delayed", "due_at")}`;
}

/**
 * Due time of the oldest job that should be claimed. A worker always has the oldest job of an endpoint that it delivers
 * to, so a long queue of one slow endpoint does not count.
 */
export const oldestUnclaimed = statement(
  "oldest_unclaimed_webhook_job",
  `with recursive ${HEADS} select min(due_at) as due_at from heads where ${LEASE_IS_FREE}`,
);

/** Jobs of several claims: events $2, endpoints $3, lease holders $4, epochs $5. */
const LEASED = `from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[])
          as i (held_event, held_endpoint, held_by, held_epoch)
    where j.shard = $1 and j.event_id = i.held_event and j.endpoint_id = i.held_endpoint
      and ${holdsLease("i.held_by", "i.held_epoch")}`;

/** Ends the leases of jobs without an attempt. */
export const releaseJobs = statement(
  "release_webhook_jobs",
  `update webhook_jobs j set ${RELEASE_LEASE} ${LEASED}`,
  { profile: "queues" },
);

/** Deletes jobs that have nothing to send. */
export const dropJobs = statement(
  "drop_webhook_jobs",
  `delete from webhook_jobs j using ${LEASED.slice("from ".length)}`,
  { profile: "queues" },
);

/** Makes up to $3 paused jobs of the endpoint $2 ready. If the endpoint is gone, the claim deletes them. */
export const unpauseJobs = statement(
  "unpause_webhook_jobs",
  `with chosen as (
     select event_id, endpoint_id from webhook_jobs
      where shard = $1 and endpoint_id = $2 and ${comesFrom("queue_state", pause_ended)}
      order by event_id limit $3 for update
   )
   update webhook_jobs j set queue_state = ${sqlLiteral(pause_ended.to)} from chosen c
    where j.shard = $1 and j.event_id = c.event_id and j.endpoint_id = c.endpoint_id
   returning 1 as moved`,
  { moves: [pause_ended] },
);

/** Deletes up to $3 paused jobs whose event is past its retention ($2 is the oldest id that is kept). */
export const sweepPausedJobs = statement(
  "sweep_paused_webhook_jobs",
  `delete from webhook_jobs where shard = $1 and (event_id, endpoint_id) in (
     select event_id, endpoint_id from webhook_jobs
      where shard = $1 and queue_state = 'paused' and event_id < $2 limit $3
   ) returning 1 as gone`,
);
