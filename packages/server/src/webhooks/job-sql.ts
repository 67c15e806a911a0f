import { WEBHOOK_JOB_MOVES } from "@longwave/contract";
import { comesFrom, leaves, word } from "../db/guards.ts";
import { EVERY_SHARD, EVERY_SHARD_ON_CITUS, notByIndex } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import { dueByShard } from "../queue/lane.ts";
import { holdsLease, LEASE_IS_FREE, RELEASE_LEASE, takeLease } from "../queue/lease.ts";

/**
 * One job as a claim found it. Only those with fate `claimed` carry the rest, and a lease. One row
 * stands for all of an endpoint that were left where they are.
 */
export interface JobRow {
  readonly fate: "claimed" | "paused" | "left" | "gone";
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly attempt: number;
  /** Where to and signed with what: on the first of an endpoint's rows, null on the others. */
  readonly url: string | null;
  readonly secret: Buffer | null;
  /** The event; null when it is past its retention. */
  readonly type: string | null;
  readonly created_at: number;
  readonly data: string;
}

/**
 * The rows of the jobs that `judged` has one of these fates for. No join: the rows are found by the
 * key of their table and told apart by a hash, also by a plan that was made while there were none.
 */
function judgedAs(fates: string): string {
  return `j.shard = $1 and j.event_id = any(array(select event_id from judged where fate in (${fates})))
        and ${notByIndex(`(j.event_id, j.endpoint_id)
             in (select event_id, endpoint_id from judged where fate in (${fates}))`)}`;
}

/**
 * What a claim does with the jobs in `due`, by the endpoint as it stands now. With room for it a
 * job is leased, and so is one of a paused endpoint, to be held by the next statement. One without
 * room stays. One whose endpoint is gone goes, too. The parameters of every claim: $1 shard, $2 now,
 * $3 the lease's holder, $4 its epoch.
 *
 * The events are asked for in an order that only their primary key has. A plan made while a month's
 * partition was empty would else take any index that starts with the account, and read all of it.
 */
const DECIDE_AND_TAKE = `judged as (
     select d.*, w.url, w.secret,
            case when w.id is null then 'gone'
                 when not w.active then 'paused'
                 when d.n > d.room then 'left'
                 else 'claimed' end as fate
       from due d
       left join webhook_endpoints w
         on w.shard = $1 and w.account_id = d.account_id and w.id = d.endpoint_id
   ), gone as (
     delete from webhook_jobs j where ${judgedAs("'gone'")}
   ), taken as (
     update webhook_jobs j set ${takeLease("$3", "$4")} where ${judgedAs("'claimed', 'paused'")}
   )
   select g.fate, g.account_id, g.endpoint_id, g.event_id, g.attempt,
          case when g.rank = 1 then g.url end as url, case when g.rank = 1 then g.secret end as secret,
          e.type, e.created_at, e.data::text as data
     from (
       select *, row_number() over (partition by endpoint_id, fate order by due_at) as rank from judged
     ) g
     left join lateral (
       select type, created_at, data from events
        where g.fate = 'claimed' and shard = $1 and account_id = g.account_id
          and id >= g.event_id and id <= g.event_id
        order by id limit 1
     ) e on true
    where g.fate <> 'left' or g.rank = 1
    order by g.due_at, g.rank`;

/**
 * Takes open jobs in the order they fell due. $5 how many at most; $6 and $7 the endpoints whose
 * room is known, and what it is; $8 the room of all others; $9 endpoints whose jobs are passed by.
 */
export const claimOpenJobs = statement(
  "claim_open_webhook_jobs",
  `with found as (
     select account_id, endpoint_id, event_id, attempt, due_at from webhook_jobs
      where shard = $1 and place = 'open' and due_at <= $2 and ${LEASE_IS_FREE}
        and endpoint_id <> all($9::uuid[])
      order by due_at limit $5
      for update skip locked
   ), due as (
     select f.*, coalesce(k.room, $8::int) as room,
            row_number() over (partition by f.endpoint_id order by f.due_at) as n
       from found f
       left join unnest($6::uuid[], $7::int[]) as k (endpoint_id, room) using (endpoint_id)
   ), ${DECIDE_AND_TAKE}`,
  { profile: "queues" },
);

/** Moves open jobs of the endpoints $3 to their backlogs, at most $4 of them. */
export const parkJobs = statement(
  "park_webhook_jobs",
  `with found as (
     select endpoint_id, event_id from webhook_jobs
      where shard = $1 and ${leaves("place", "open", WEBHOOK_JOB_MOVES.endpoint_busy)}
        and due_at <= $2 and ${LEASE_IS_FREE} and endpoint_id = any($3::uuid[])
      order by due_at limit $4
      for update skip locked
   )
   update webhook_jobs j set place = ${word(WEBHOOK_JOB_MOVES.endpoint_busy.to)}, ${RELEASE_LEASE}
     from found f
    where j.shard = $1 and j.event_id = f.event_id and j.endpoint_id = f.endpoint_id
   returning j.account_id, j.endpoint_id`,
  { moves: [WEBHOOK_JOB_MOVES.endpoint_busy], profile: "queues" },
);

/** Takes jobs from the backlogs of the endpoints $5, as many from each as it has room ($6). */
export const claimBacklogJobs = statement(
  "claim_backlog_webhook_jobs",
  `with due as (
     select j.*, k.room, 1 as n
       from unnest($5::uuid[], $6::int[]) as k (endpoint_id, room)
      cross join lateral (
        select account_id, endpoint_id, event_id, attempt, due_at from webhook_jobs
         where shard = $1 and place = 'backlog' and endpoint_id = k.endpoint_id and due_at <= $2
           and ${LEASE_IS_FREE}
         order by due_at limit k.room
         for update skip locked
      ) j
   ), ${DECIDE_AND_TAKE}`,
  { profile: "queues" },
);

/** The endpoints that have a backlog, found by hopping from one to the next along the index. */
export const listBacklogs = statement(
  "list_webhook_backlogs",
  `with recursive backlogs as (
     (select endpoint_id, account_id from webhook_jobs
       where shard = $1 and place = 'backlog' order by endpoint_id limit 1)
     union all
     select n.endpoint_id, n.account_id from backlogs b
      cross join lateral (
        select endpoint_id, account_id from webhook_jobs
         where shard = $1 and place = 'backlog' and endpoint_id > b.endpoint_id
         order by endpoint_id limit 1
      ) n
   )
   select endpoint_id, account_id from backlogs limit $2`,
  { profile: "queues" },
);

/** Work in hand counts, so that whoever moves the clock waits for it. */
export const openJobsDue = dueByShard("webhook_jobs_due", {
  table: "webhook_jobs",
  dueAt: "due_at",
  where: "place = 'open'",
});

export const openJobsWaiting = dueByShard("webhook_jobs_waiting", {
  table: "webhook_jobs",
  dueAt: "due_at",
  where: `place = 'open' and ${LEASE_IS_FREE}`,
});

/** What is in a backlog is due already: any one of each shard will do. */
export const backlogsDue = statement("webhook_backlogs_due", backlogsOf(EVERY_SHARD), {
  onCitus: backlogsOf(EVERY_SHARD_ON_CITUS),
  acrossShards: "finds out which shards have due work",
});

function backlogsOf(shards: string): string {
  return `select s.shard, d.due_at
     from ${shards}
    cross join lateral (
      select due_at from webhook_jobs
       where shard = s.shard and place = 'backlog' order by endpoint_id limit 1
    ) d`;
}

// What follows is about jobs of several claims: events $2, endpoints $3, lease holders $4, epochs $5.
const OF_CLAIMS = `from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[])
          as i (held_event, held_endpoint, held_by, held_epoch)
    where j.shard = $1 and j.event_id = i.held_event and j.endpoint_id = i.held_endpoint
      and ${holdsLease("i.held_by", "i.held_epoch")}`;

/**
 * Holds the jobs of paused endpoints. The lock on the endpoint decides against a change that comes
 * at the same moment: either it sees the held jobs, or this sees an active endpoint.
 */
export const holdJobs = statement(
  "hold_webhook_jobs",
  `with paused as (
     select id from webhook_endpoints
      where shard = $1 and account_id = any($6::uuid[]) and id = any($3::uuid[]) and not active
      order by id for share
   )
   update webhook_jobs j set place = ${word(WEBHOOK_JOB_MOVES.endpoint_paused.to)}, ${RELEASE_LEASE}
     ${OF_CLAIMS} and ${comesFrom("j.place", WEBHOOK_JOB_MOVES.endpoint_paused)}
      and j.endpoint_id in (select id from paused)`,
  { moves: [WEBHOOK_JOB_MOVES.endpoint_paused], profile: "queues" },
);

const GIVE_BACK_MOVES = [WEBHOOK_JOB_MOVES.given_back, WEBHOOK_JOB_MOVES.endpoint_busy] as const;
export type GivenBackTo = (typeof GIVE_BACK_MOVES)[number]["to"];

/** Gives jobs back that were claimed and not begun; $6 says to which place. */
export const giveBackJobs = statement(
  "give_back_webhook_jobs",
  `update webhook_jobs j set place = $6, ${RELEASE_LEASE}
     ${OF_CLAIMS} and ${comesFrom("j.place", ...GIVE_BACK_MOVES)}`,
  { moves: GIVE_BACK_MOVES, profile: "queues" },
);

/** Drops jobs that there is nothing to send for, as when their event is past its retention. */
export const dropJobs = statement(
  "drop_webhook_jobs",
  `delete from webhook_jobs j using unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[])
          as i (held_event, held_endpoint, held_by, held_epoch)
    where j.shard = $1 and j.event_id = i.held_event and j.endpoint_id = i.held_endpoint
      and ${holdsLease("i.held_by", "i.held_epoch")}`,
  { profile: "queues" },
);

export const resumeHeldJobs = statement(
  "resume_held_webhook_jobs",
  `with chosen as (
     select event_id, endpoint_id from webhook_jobs
      where shard = $1 and endpoint_id = $2
        and ${comesFrom("place", WEBHOOK_JOB_MOVES.endpoint_resumed)}
      order by event_id limit $3 for update
   )
   update webhook_jobs j set place = ${word(WEBHOOK_JOB_MOVES.endpoint_resumed.to)} from chosen c
    where j.shard = $1 and j.event_id = c.event_id and j.endpoint_id = c.endpoint_id
   returning 1 as moved`,
  { moves: [WEBHOOK_JOB_MOVES.endpoint_resumed] },
);

/** Open jobs of an endpoint that is gone need no care: whoever claims them drops them. */
export const forgetHeldJobs = statement(
  "forget_held_webhook_jobs",
  `with chosen as (
     select event_id, endpoint_id from webhook_jobs
      where shard = $1 and endpoint_id = $2 and place = 'held'
      order by event_id limit $3 for update
   )
   delete from webhook_jobs j using chosen c
    where j.shard = $1 and j.event_id = c.event_id and j.endpoint_id = c.endpoint_id
   returning 1 as gone`,
);

/** Held jobs whose event is past its retention will never be sent. */
export const sweepHeldJobs = statement(
  "sweep_held_webhook_jobs",
  `delete from webhook_jobs where shard = $1 and (event_id, endpoint_id) in (
     select event_id, endpoint_id from webhook_jobs
      where shard = $1 and place = 'held' and event_id < $2 limit $3
   ) returning 1 as gone`,
);
