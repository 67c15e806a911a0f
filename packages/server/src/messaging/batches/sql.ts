import { BATCH_MOVES, BATCH_RECIPIENT_MOVES } from "@longwave/contract";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { containsSql } from "../../network/carriers/index.ts";
import { consentJoins, IS_OPTED_OUT, WHOLE_ACCOUNT } from "../../people/consent/index.ts";

/** Statements on batches and their recipients. Each carries the shard. */

const WAITING = sqlLiteral(BATCH_RECIPIENT_MOVES.retry.to);

/** Customer id under which consent for the whole account is stored. */
const NIL_CUSTOMER = `'${WHOLE_ACCOUNT}'::uuid`;

export const BATCH_COLUMNS = `b.shard, b.account_id, b.id, b.name, b.status, b.mode, b.from_number, b.body,
  b.customer_id, b.topic_id, b.scheduled_at, b.total, b.waiting, b.handed, b.retrying, b.sent, b.failed,
  b.skipped, b.due_at, b.next_index, b.wake_index, b.retry_running, b.created_at, b.changed_at,
  b.started_at, b.completed_at, b.canceled_at, b.expires_at, b.quiet_hours, b.metadata,
  b.audience, b.created_by`;

export const RECIPIENT_COLUMNS = `r.index, r.to_number, r.variables, r.metadata, r.state, r.message_id, r.attempts,
  r.failure_code, r.carrier_code, r.updated_at`;

export const insertBatch = statement(
  "insert_batch",
  `insert into batches (shard, account_id, id, name, status, mode, from_number, body, customer_id, topic_id,
     scheduled_at, total, waiting, due_at, created_at, changed_at, started_at, expires_at,
     quiet_hours, metadata, audience, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $14, $15, $16, $17, $18, $19, $20)`,
);

export const insertRecipients = statement(
  "insert_batch_recipients",
  `insert into batch_recipients (shard, batch_id, index, to_number, variables, metadata, state, updated_at)
   select $1, $2, u.index, u.to_number, u.variables::json, u.metadata::json, ${WAITING}, $6
     from unnest($3::int[], $4::text[], $5::text[], $7::text[]) as u (index, to_number, variables, metadata)`,
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

/** Locks in id order, to avoid deadlocks. */
export const lockBatches = statement(
  "lock_batches",
  `select b.id, b.status, b.account_id, b.topic_id from batches b
    where b.shard = $1 and b.id = any($2::uuid[]) order by b.id for update`,
);

/**
 * The next due batch with its account: the longest due batch of the account that was served longest ago
 * ($3, $4). Leaves out the accounts in $5 and numbers in $6, $7; $8 restricts it to one batch unless null.
 */
const DUE = `select ${BATCH_COLUMNS}, acc.name as account_name, acc.status as account_status, acc.live_access,
          acc.rate_limit, acc.daily_message_quota, acc.phrase_opt_out, acc.smart_encoding,
          acc.quiet_hours as account_quiet_hours, acc.opt_in_required as account_opt_in_required, acc.created_at as account_created_at
     from batches b
     join accounts acc on acc.id = b.account_id
     left join unnest($3::uuid[], $4::int[]) as served (account_id, run) on served.account_id = b.account_id
    where b.shard = $1 and b.due_at <= $2 and not b.suspended and b.account_id <> all($5::uuid[])
      and (b.mode = 'test' or not ${containsSql("b.from_number", "$6", "$7")})
      and ($8::uuid is null or b.id = $8)
    order by served.run nulls first, b.due_at, b.id limit 1`;

/** Takes no lock: the process composes a chunk before the database locks its batch. */
export const readDueBatch = statement("read_due_batch", DUE);

/** Locks the batch; skips batches that other transactions have locked. */
export const claimDueBatch = statement("claim_due_batch", `${DUE} for update of b skip locked`);

/** Postpones a due batch that cannot send now. */
export const postponeBatch = statement(
  "postpone_batch",
  `update batches b set due_at = $4
    where b.shard = $1 and b.account_id = $2 and b.id = $3 and b.due_at is not null`,
);

export const readWaiting = statement(
  "read_waiting_recipients",
  `select r.index, r.to_number, r.variables, r.metadata from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.index >= $3 and r.state = ${WAITING}
    order by r.index limit $4`,
);

/** Changes the message and time of a scheduled batch whose row the caller has locked. */
export const editBatch = statement(
  "edit_batch",
  `update batches b
      set name = $4, body = $5, scheduled_at = $6, due_at = $6, expires_at = $7, changed_at = $8
    where b.shard = $1 and b.account_id = $2 and b.id = $3
      and b.status = ${sqlLiteral(BATCH_MOVES.resume_later.to)}`,
);

/**
 * Stores the move of a batch whose row the caller has locked; $12 are the states that the move may
 * leave.
 */
export const moveBatch = statement(
  "move_batch",
  `update batches b
      set status = $3, due_at = $4, suspended = $5, wake_index = $6, retry_running = $7, changed_at = $8,
          started_at = $9, completed_at = $10, canceled_at = $11
    where b.shard = $1 and b.id = $2 and b.status = any($12::text[])
   returning 1 as moved`,
  { moves: Object.values(BATCH_MOVES) },
);

/**
 * Makes recipients with a retryable failure wait again, and moves the batch's `next_index` back to the first
 * of them. $3: failure codes, $4: attempts allowed, $5: now.
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
      set status = case when c.rows > 0 then ${sqlLiteral(BATCH_MOVES.retry.to)} else b.status end,
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

/** Recipients by pairs of batch ($2) and index ($3). */
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
    // A Citus worker's NOTIFY reaches only that worker, so the coordinator notifies. A spurious wake is harmless.
    onCitus: `select pg_notify('longwave_work', '${LANES.batches}')
      where $1::int is not null and cardinality($2::uuid[]) > 0 and $3::timestamptz is not null`,
  },
);

export const batchesDue = dueByShard("batches_due_by_shard", {
  table: "batches",
  dueAt: "due_at",
  where: "due_at is not null and not suspended",
});

/** `batchesDue` without the accounts ($1) and numbers ($2, $3) that this process cannot send for now. */
export const batchesFree = dueByShard("batches_free_by_shard", {
  table: "batches",
  dueAt: "due_at",
  where: `due_at is not null and not suspended and account_id <> all($1::uuid[])
          and (mode = 'test' or not ${containsSql("from_number", "$2", "$3")})`,
});

/**
 * Suspends batches until their account may send again. Their queued messages become due then, from the first
 * recipient on.
 */
export const suspendBatches = statement(
  "suspend_batches",
  `update batches b set suspended = true, wake_index = 0, due_at = coalesce(b.due_at, $3)
    where b.shard = $1 and b.id = any($2::uuid[]) and b.status = 'sending'`,
);

/** `maySend` of the account, in SQL. */
const MAY_SEND = "acc.status = 'active' and (b.mode = 'test' or acc.live_access = 'granted')";

/** Suspended batches whose account may send again. */
export const findReleasable = statement(
  "find_releasable_batches",
  `select b.shard, min(b.due_at) as due_at from batches b join accounts acc on acc.id = b.account_id
    where b.suspended and ${MAY_SEND} group by b.shard`,
  { acrossShards: "finds out which shards have suspended batches to release" },
);

export const releaseSuspended = statement(
  "release_suspended_batches",
  `update batches b set suspended = false
     from accounts acc
    where b.shard = $1 and b.suspended and acc.id = b.account_id and ${MAY_SEND}
   returning 1 as released`,
);

/** Version of all results of an account: every delivery, failure and reply is an event. */
export const readResultsVersion = statement(
  "read_batch_results_version",
  `select event_seq, consent_seq + sandbox_consent_seq as consent_seq from account_counters where shard = $1 and account_id = $2`,
);

/** Recipients that failed without a message: out of credit, over the quota, without a sender. */
export const countFailedUnsent = statement(
  "count_failed_without_message",
  `select r.failure_code, count(*)::int as recipients from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.state = 'failed' and r.message_id is null
    group by r.failure_code`,
);

/** Recipients of the batch among the phones in $3 whose message was sent, with the time. */
export const readSent = statement(
  "read_sent_recipients",
  `select r.to_number, r.updated_at from batch_recipients r
    where r.shard = $1 and r.batch_id = $2 and r.state = 'sent' and r.to_number = any($3::text[])`,
);

const RECIPIENT_CONSENT = consentJoins({
  accountId: "b.account_id",
  mode: "b.mode",
  phone: "r.to_number",
  customerId: "b.customer_id",
});

/** Recipients who opted out after their message and until $3, and are still opted out. */
export const countStops = statement(
  "count_batch_stops",
  `select count(*)::int as stops
     from batches b
     join batch_recipients r on r.shard = $1 and r.batch_id = b.id and r.state = 'sent'
     ${RECIPIENT_CONSENT}
    where b.shard = $1 and b.id = $2 and ${IS_OPTED_OUT}
      and exists (
        select 1 from consent_ledger l
         where l.shard = $1 and l.account_id = b.account_id and l.mode = b.mode and l.phone_number = r.to_number
           and l.status = 'opted_out' and l.created_at >= r.updated_at and l.created_at <= $3
           and l.customer_id in (${NIL_CUSTOMER}, coalesce(b.customer_id, ${NIL_CUSTOMER})))`,
);
