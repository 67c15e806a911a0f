import { BATCH_MOVES, BATCH_RECIPIENT_MOVES } from "@longwave/contract";
import { holdsSql } from "../carriers/index.ts";
import { consentJoins, IS_OPTED_OUT, WHOLE_ACCOUNT } from "../consent/index.ts";
import { comesFrom, leaves, word } from "../db/guards.ts";
import { statement } from "../db/statement.ts";
import { dueByShard } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";

/** Every statement on batches and their recipients. Each one carries the shard. */

const WAITING = word(BATCH_RECIPIENT_MOVES.retry.to);

/** Where a turn may leave a recipient that waited. */
const TURN_MOVES = [
  BATCH_RECIPIENT_MOVES.hand_over,
  BATCH_RECIPIENT_MOVES.carrier_deferred,
  BATCH_RECIPIENT_MOVES.carrier_accepted,
  BATCH_RECIPIENT_MOVES.fail,
  BATCH_RECIPIENT_MOVES.skip,
];

/** Stands for the whole account where consent is kept by customer. */
const NIL_CUSTOMER = `'${WHOLE_ACCOUNT}'::uuid`;

export const BATCH_COLUMNS = `b.shard, b.account_id, b.id, b.name, b.status, b.mode, b.from_number, b.body,
  b.customer_id, b.topic_id, b.scheduled_at, b.total, b.waiting, b.handed, b.retrying, b.sent, b.failed,
  b.skipped, b.due_at, b.next_index, b.wake_index, b.retry_running, b.created_at, b.changed_at,
  b.started_at, b.completed_at, b.canceled_at, b.expires_at, b.quiet_hours`;

export const RECIPIENT_COLUMNS = `r.index, r.to_number, r.variables, r.state, r.message_id, r.attempts,
  r.failure_code, r.carrier_code, r.updated_at`;

export const insertBatch = statement(
  "insert_batch",
  `insert into batches (shard, account_id, id, name, status, mode, from_number, body, customer_id, topic_id,
     scheduled_at, total, waiting, due_at, created_at, changed_at, started_at, expires_at,
     quiet_hours)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $14, $15, $16, $17)`,
);

export const insertRecipients = statement(
  "insert_batch_recipients",
  `insert into batch_recipients (shard, batch_id, index, to_number, variables, state, updated_at)
   select $1, $2, u.index, u.to_number, u.variables::json, ${WAITING}, $6
     from unnest($3::int[], $4::text[], $5::text[]) as u (index, to_number, variables)`,
);

export const findBatch = statement(
  "find_batch",
  `select ${BATCH_COLUMNS} from batches b where b.shard = $1 and b.account_id = $2 and b.id = $3`,
);

export const lockBatch = statement(
  "lock_batch",
  `select ${BATCH_COLUMNS} from batches b
    where b.shard = $1 and b.account_id = $2 and b.id = $3 for update`,
);

/** In one order for everybody. */
export const lockBatches = statement(
  "lock_batches",
  `select b.id, b.status, b.account_id, b.topic_id from batches b
    where b.shard = $1 and b.id = any($2::uuid[]) order by b.id for update`,
);

/**
 * The batch whose turn it is, with its account: that of the account whose last turn ($3, $4) is the
 * longest ago, and of its batches the one that has waited longest. Accounts in $5 are passed, and so
 * are batches that others work on.
 */
const dueSql = (which: string) =>
  `select ${BATCH_COLUMNS}, acc.name as account_name, acc.status as account_status, acc.live_access,
          acc.rate_limit, acc.daily_message_quota, acc.phrase_opt_out, acc.smart_encoding,
          acc.quiet_hours as account_quiet_hours, acc.created_at as account_created_at
     from batches b
     join accounts acc on acc.id = b.account_id
     left join unnest($3::uuid[], $4::int[]) as served (account_id, turn) on served.account_id = b.account_id
    where b.shard = $1 and b.due_at <= $2 and not b.held and b.account_id <> all($5::uuid[])
      and (b.mode = 'test' or not ${holdsSql("b.from_number", "$6", "$7")})${which}
    order by served.turn nulls first, b.due_at, b.id limit 1`;
const CLAIMED = " for update of b skip locked";

export const claimDueBatch = statement("claim_due_batch", dueSql("") + CLAIMED);

/** The same where only one batch ($8) is meant. */
export const claimThisBatch = statement("claim_this_batch", dueSql(" and b.id = $8") + CLAIMED);

/** The same, and nothing is locked: for a turn that is composed before its batch is. */
export const readDueBatch = statement("read_due_batch", dueSql(""));

export const readWaiting = statement(
  "read_waiting_recipients",
  `select r.index, r.to_number, r.variables from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.index >= $3 and r.state = ${WAITING}
    order by r.index limit $4`,
);

/** Writes what a turn came to: each recipient's move, and the batch with its counts after all of them. */
export const writeTurn = statement(
  "write_batch_turn",
  `with moved as (
     update batch_recipients r
        set state = u.state, message_id = coalesce(u.message_id, r.message_id), attempts = r.attempts + 1,
            failure_code = u.failure_code, carrier_code = u.carrier_code, updated_at = $15
       from unnest($3::int[], $4::text[], $5::uuid[], $6::text[], $7::text[])
              as u (index, state, message_id, failure_code, carrier_code)
      where r.shard = $1 and r.batch_id = $2 and r.index = u.index
        and ${leaves("r.state", "waiting", ...TURN_MOVES)}
        -- Only this stretch of the batch is looked at, not every one of its recipients.
        and r.index >= $16 and r.index < $14
   )
   update batches b
      set waiting = b.waiting - $8, handed = b.handed + $9, retrying = b.retrying + $10, sent = b.sent + $11,
          failed = b.failed + $12, skipped = b.skipped + $13, next_index = $14
    where b.shard = $1 and b.id = $2`,
  { moves: TURN_MOVES },
);

/**
 * Puts a batch where an action or its turn leaves it. The caller holds its lock; $12 are the states
 * that the move may leave.
 */
export const moveBatch = statement(
  "move_batch",
  `update batches b
      set status = $3, due_at = $4, held = $5, wake_index = $6, retry_running = $7, changed_at = $8,
          started_at = $9, completed_at = $10, canceled_at = $11
    where b.shard = $1 and b.id = $2 and b.status = any($12::text[])
   returning 1 as moved`,
  { moves: Object.values(BATCH_MOVES) },
);

/**
 * Puts recipients whose failure may be temporary back among those that wait, and the batch back to
 * the first of them. $3 the failure codes, $4 the attempts allowed, $5 now.
 */
export const requeueFailed = statement(
  "requeue_failed_recipients",
  `with again as (
     update batch_recipients r set state = ${WAITING}, updated_at = $5
      where r.shard = $1 and r.batch_id = $2
        and ${comesFrom("r.state", BATCH_RECIPIENT_MOVES.retry)} and r.failure_code = any($3::text[])
        and r.attempts < $4
     returning r.index
   ), counted as (
     select count(*)::int as rows, min(index) as first_index from again
   )
   update batches b
      set status = case when c.rows > 0 then ${word(BATCH_MOVES.retry.to)} else b.status end,
          waiting = b.waiting + c.rows, failed = b.failed - c.rows,
          next_index = coalesce(c.first_index, b.next_index)
     from counted c
    where b.shard = $1 and b.id = $2 and ${comesFrom("b.status", BATCH_MOVES.retry)}
   returning c.rows`,
  { moves: [BATCH_MOVES.retry, BATCH_RECIPIENT_MOVES.retry] },
);

export const readRetrying = statement(
  "read_retrying_recipients",
  `select r.index, r.message_id from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.index >= $3 and r.state = 'retrying'
    order by r.index limit $4`,
);

/** The recipients that these pairs of batch ($2) and place in it ($3) name. */
export const findRecipients = statement(
  "find_batch_recipients",
  `select r.message_id, r.state
     from unnest($2::uuid[], $3::int[]) as u (batch_id, index)
    cross join lateral (
      select message_id, state from batch_recipients
       where shard = $1 and batch_id = u.batch_id and index = u.index limit 1
    ) r`,
);

export const notifyDue = statement(
  "notify_batches_due",
  `select pg_notify('longwave_work', '${LANES.batches}')
    where exists (select 1 from batches b
                   where b.shard = $1 and b.id = any($2::uuid[]) and b.due_at <= $3)`,
  {
    // A worker's word would be heard there alone. It is a hint: one too many does no harm.
    onCitus: `select pg_notify('longwave_work', '${LANES.batches}')
      where $1::int is not null and cardinality($2::uuid[]) > 0 and $3::timestamptz is not null`,
  },
);

/**
 * Takes a sending number for so many texts, if it is free: $5 is when it would be free again had it
 * been free exactly now, $6 how much lateness it may make up for.
 */
export const takePace = statement(
  "take_batch_pace",
  `insert into batch_pace as p (shard, account_id, from_number, free_at)
   values ($1, $2, $3, $5)
   on conflict (shard, account_id, from_number) do update
     set free_at = greatest(p.free_at, $6::timestamptz) + ($5::timestamptz - $4::timestamptz)
   where p.free_at <= $4::timestamptz
   returning p.free_at`,
  {
    // A moment plus an interval depends on the time zone, so Citus does not trust it; seconds do not.
    onCitus: `insert into batch_pace as p (shard, account_id, from_number, free_at)
     values ($1, $2, $3, $5)
     on conflict (shard, account_id, from_number) do update
       set free_at = to_timestamp(extract(epoch from
             (greatest(p.free_at, $6::timestamptz) - timestamptz '1970-01-01 00:00:00+00')
             + ($5::timestamptz - $4::timestamptz))::float8)
     where p.free_at <= $4::timestamptz
     returning p.free_at`,
  },
);

export const readPace = statement(
  "read_batch_pace",
  `select free_at from batch_pace where shard = $1 and account_id = $2 and from_number = $3`,
);

export const batchesDue = dueByShard("batches_due_by_shard", {
  table: "batches",
  dueAt: "due_at",
  where: "due_at is not null and not held",
});

/** The same without those that nobody here could take now: of accounts ($1) and numbers ($2, $3) that have to wait. */
export const batchesFree = dueByShard("batches_free_by_shard", {
  table: "batches",
  dueAt: "due_at",
  where: `due_at is not null and not held and account_id <> all($1::uuid[])
          and (mode = 'test' or not ${holdsSql("from_number", "$2", "$3")})`,
});

/** Batches that were held for their account, which is active again. */
export const findReleasable = statement(
  "find_releasable_batches",
  `select b.shard, min(b.due_at) as due_at from batches b join accounts acc on acc.id = b.account_id
    where b.held and acc.status = 'active' group by b.shard`,
  { acrossShards: "finds out which shards have held batches to release" },
);

export const releaseHeld = statement(
  "release_held_batches",
  `update batches b set held = false
     from accounts acc
    where b.shard = $1 and b.held and acc.id = b.account_id and acc.status = 'active'
   returning 1 as released`,
);

/** What moves whenever the results of a batch may have: every delivery, failure and reply is an event. */
export const readResultsVersion = statement(
  "read_batch_results_version",
  `select event_seq, consent_seq from account_counters where shard = $1 and account_id = $2`,
);

/** Recipients that failed before there was a text: out of credit, over the quota, without a sender. */
export const countFailedWithoutText = statement(
  "count_failed_without_text",
  `select r.failure_code, count(*)::int as recipients from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.state = 'failed' and r.message_id is null
    group by r.failure_code`,
);

/** Since when each of these phones, as recipients of the batch, has its text. */
export const readTexted = statement(
  "read_texted_recipients",
  `select r.to_number, r.updated_at from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.state = 'sent' and r.to_number = any($3::text[])`,
);

const RECIPIENT_CONSENT = consentJoins({
  accountId: "b.account_id",
  phone: "r.to_number",
  customerId: "b.customer_id",
});

/** Recipients who opted out after their text and until $3, and who may not be texted now. */
export const countStops = statement(
  "count_batch_stops",
  `select count(*)::int as stops
     from batches b
     join batch_recipients r on r.shard = $1 and r.batch_id = b.id and r.state = 'sent'
     ${RECIPIENT_CONSENT}
    where b.shard = $1 and b.id = $2 and ${IS_OPTED_OUT}
      and exists (
        select 1 from consent_ledger l
         where l.shard = $1 and l.account_id = b.account_id and l.phone_number = r.to_number
           and l.status = 'opted_out' and l.created_at >= r.updated_at and l.created_at <= $3
           and l.customer_id in (${NIL_CUSTOMER}, coalesce(b.customer_id, ${NIL_CUSTOMER})))`,
);
