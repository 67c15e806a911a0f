import { VERIFICATION_MOVES, VERIFY_CHECKS_MAX } from "@longwave/contract";
import { comesFrom } from "../../core/db/driver/guards.ts";
import { rowsOf, statement } from "../../core/db/driver/statement.ts";
import {
  DECISION_INSERT_COLUMNS,
  PHONE_KEY_COLUMNS,
  PHONE_STATE_COLUMNS,
  RANGE_COLUMNS,
  SLICE_COLUMNS,
  VERIFICATION_INSERT_COLUMNS,
} from "./array-columns.ts";

/** Statements on verifications. Each filters by shard. */

export const VERIFICATION_COLUMNS = `v.shard, v.account_id, v.id, v.mode, v.phone, v.status, v.app_name,
  v.customer_id, v.from_number, v.attempts, v.sends, v.charged, v.price_micros, v.simulated, v.created_at, v.expires_at,
  v.approved_at, v.ended_at, v.decision_id, v.metadata`;

/**
 * Send times and newest verification of phones. The lateral joins with `limit` force key lookups:
 * PostgreSQL plans the statement once, for tables of any size.
 */
export const readPhones = statement(
  "read_verification_phones",
  `select i.account_id as phone_account_id, i.mode as phone_mode, i.phone as phone_number,
          array_to_json(p.sent_at_ms) as sent_at_ms, p.failures, ${VERIFICATION_COLUMNS}
     from ${rowsOf(PHONE_KEY_COLUMNS, 2, "i")}
    cross join lateral (
      select verification_id, sent_at_ms, failures from verification_phones
       where shard = $1 and account_id = i.account_id and mode = i.mode and phone = i.phone limit 1
    ) p
     left join lateral (
      select * from verifications where shard = $1 and id = p.verification_id limit 1
    ) v on true`,
);

/**
 * Counter sums by key for each range, each since its own time. Then, for the accounts $2, sums of sends
 * since $3, of hourly counts since $4, and the answered codes of the best hour since $5. A key in two
 * ranges is returned twice, in full each time.
 */
export const readCounters = statement(
  "read_verification_counters",
  `select i.account_id, i.mode, c.key, c.started, c.sent, c.approved
     from ${rowsOf(RANGE_COLUMNS, 6, "i")}
    cross join lateral (
      select key, sum(started)::int as started, sum(sent)::int as sent, sum(approved)::int as approved
        from verification_counters
       where shard = $1 and account_id = i.account_id and mode = i.mode
         and key >= i.low collate "C" and key <= i.high collate "C" and bucket >= to_timestamp(i.since)
       group by key
    ) c
   union all
   select account_id, mode, 'recent', sum(started)::int, sum(sent)::int, sum(approved)::int
     from verification_counters
    where shard = $1 and account_id = any($2::uuid[]) and mode in ('test', 'live')
      and key = 'account' and bucket >= $3
    group by account_id, mode
   union all
   select account_id, mode, 'day', sum(scored)::int, sum(sent)::int, sum(answered)::int
     from verification_hours
    where shard = $1 and account_id = any($2::uuid[]) and mode in ('test', 'live') and hour >= $4
    group by account_id, mode
   union all
   select account_id, mode, 'best hour', 0, 0, max(answered)::int
     from verification_hours
    where shard = $1 and account_id = any($2::uuid[]) and mode in ('test', 'live') and hour >= $5
    group by account_id, mode`,
);

/** Blocks in force at $4 of the prefixes $3, for the accounts $2. */
export const readBlocks = statement(
  "read_verification_blocks",
  `select account_id, mode, prefix from verification_blocks
    where shard = $1 and account_id = any($2::uuid[]) and mode in ('test', 'live')
      and prefix = any($3::text[]) and blocked_until > $4`,
);

/** Codes sent from the service's own numbers and answered since $3, and whether they are blocked at $4. */
export const readServiceLoss = statement(
  "read_verification_service_loss",
  `select coalesce(sum(sent), 0)::int as sent, coalesce(sum(answered), 0)::int as answered,
          exists (select 1 from verification_blocks
                   where shard = $1 and account_id = $2 and mode = 'live' and prefix = $5
                     and blocked_until > $4) as is_tripped
     from verification_hours
    where shard = $1 and account_id = $2 and mode = 'live' and hour >= $3`,
);

export const deleteServiceLoss = statement(
  "delete_verification_service_loss",
  "delete from verification_hours where shard = $1 and account_id = $2 and mode = 'live' and hour >= $3",
);

export const readStops = statement(
  "read_verification_stops",
  "select phone from verification_stops where shard = $1 and phone = any($2::text[])",
);

/**
 * Locks phones across all accounts and returns the times of their codes. The upsert creates missing
 * rows; every transaction locks in phone order, so that none deadlock.
 */
export const lockTargets = statement(
  "lock_verification_targets",
  `insert into verification_targets as t (shard, phone, sent_at_ms, updated_at)
   select $1, phone, '{}', $3 from unnest($2::text[]) as phone order by phone
   on conflict (shard, phone) do update set updated_at = excluded.updated_at
   returning t.phone, array_to_json(t.sent_at_ms) as sent_at_ms`,
);

export const writeTargets = statement(
  "write_verification_targets",
  `update verification_targets t set sent_at_ms = i.sent_at_ms
     from json_to_recordset($2::json) as i (phone text, sent_at_ms bigint[])
    where t.shard = $1 and t.phone = i.phone`,
);

/** First parameter of each column set; $1 to $3 are the shard, now, and the expiry of new verifications. */
const FIRST_VERIFICATION = 4;
const FIRST_PHONE = FIRST_VERIFICATION + VERIFICATION_INSERT_COLUMNS.length;
const FIRST_DECISION = FIRST_PHONE + PHONE_STATE_COLUMNS.length;

/** Stores the outcome of a group of starts: new verifications, phone states and fraud decisions. */
export const writeStarts = statement(
  "write_verification_starts",
  `with started as (
     insert into verifications (shard, account_id, id, mode, phone, status, app_name, customer_id,
       from_number, attempts, sends, simulated, created_at, expires_at, decision_id, metadata)
     select $1, account_id, id, mode, phone, 'pending', app_name, customer_id, from_number, 0, sends,
            simulated, $2::timestamptz, $3::timestamptz, decision_id, metadata::json
       from ${rowsOf(VERIFICATION_INSERT_COLUMNS, FIRST_VERIFICATION, "i")}
   ), phones as (
     insert into verification_phones as p (shard, account_id, mode, phone, verification_id, sent_at_ms,
       failures, updated_at)
     select $1, account_id, mode, phone, verification_id, sent_at_ms::bigint[], failures, $2::timestamptz
       from ${rowsOf(PHONE_STATE_COLUMNS, FIRST_PHONE, "i")}
     on conflict (shard, account_id, mode, phone) do update
       set verification_id = excluded.verification_id, sent_at_ms = excluded.sent_at_ms,
           failures = excluded.failures, updated_at = excluded.updated_at
   )
   insert into verification_decisions (shard, account_id, id, mode, phone, verification_id, allowed,
     reason, rule_trace, created_at)
   select $1, account_id, id, mode, phone, verification_id, allowed, reason, rule_trace, $2::timestamptz
     from ${rowsOf(DECISION_INSERT_COLUMNS, FIRST_DECISION, "i")}`,
);

/** Updates repeated verifications. $3 lists their ids again, to force lookups by primary key. */
export const updateResent = statement(
  "update_resent_verifications",
  `update verifications v set sends = i.sends, decision_id = i.decision_id
     from json_to_recordset($2::json) as i (id uuid, sends int, decision_id uuid)
    where v.shard = $1 and v.id = any($3::uuid[]) and v.id = i.id`,
);

export const writeBlocks = statement(
  "write_verification_blocks",
  `insert into verification_blocks (shard, account_id, mode, prefix, rule, created_at, blocked_until)
   select $1, account_id, mode, prefix, rule, created_at, blocked_until
     from json_to_recordset($2::json) as i (account_id uuid, mode text, prefix text, rule text,
       created_at timestamptz, blocked_until timestamptz)
   on conflict (shard, account_id, mode, prefix) do update
     set rule = excluded.rule, created_at = excluded.created_at, blocked_until = excluded.blocked_until`,
);

/** Adds to hourly counts ($2) and to counter slices. */
export const addCounts = statement(
  "add_verification_counts",
  `with slices as (
     insert into verification_counters as c (shard, account_id, mode, key, bucket, started, sent, approved)
     select $1, account_id, mode, key, to_timestamp(bucket), started, sent, approved
       from ${rowsOf(SLICE_COLUMNS, 3, "i")}
     on conflict (shard, account_id, mode, key, bucket) do update
       set started = c.started + excluded.started, sent = c.sent + excluded.sent,
           approved = c.approved + excluded.approved
   )
   insert into verification_hours as h (shard, account_id, mode, hour, started, sent, approved, blocked,
     scored, answered)
   select $1, account_id, mode, hour, started, sent, approved, blocked, scored, answered
     from json_to_recordset($2::json) as i (account_id uuid, mode text, hour timestamptz, started int,
       sent int, approved int, blocked int, scored int, answered int)
   on conflict (shard, account_id, mode, hour) do update
     set started = h.started + excluded.started, sent = h.sent + excluded.sent,
         approved = h.approved + excluded.approved, blocked = h.blocked + excluded.blocked,
         scored = h.scored + excluded.scored, answered = h.answered + excluded.answered`,
);

/** Newest verification of each phone in $2, locked until the group commits. */
export const lockNewest = statement(
  "lock_newest_verifications",
  `select ${VERIFICATION_COLUMNS}
     from verifications v
    where v.shard = $1 and v.id = any(array(
      select p.verification_id
        from json_to_recordset($2::json) as i (account_id uuid, mode text, phone text)
       cross join lateral (
         select verification_id from verification_phones
          where shard = $1 and account_id = i.account_id and mode = i.mode and phone = i.phone limit 1
       ) p))
    order by v.id for update`,
);

/**
 * Stores the checks of a group. An update applies only to a pending verification whose attempts are as
 * the group read them and stay within VERIFY_CHECKS_MAX. If fewer than $3 rows match, the division by
 * zero aborts the transaction (a plain statement has no RAISE), and the group writer retries.
 */
const { right_code, wrong_code, last_wrong_code, checked_late } = VERIFICATION_MOVES;
const CHECK_MOVES = [right_code, wrong_code, last_wrong_code, checked_late] as const;

export const writeChecks = statement(
  "write_verification_checks",
  `with moved as (
   update verifications v
      set attempts = v.attempts + i.evaluated, status = i.status, charged = i.charged, price_micros = i.price_micros,
          approved_at = i.approved_at, ended_at = i.ended_at
     from json_to_recordset($2::json) as i (id uuid, attempts_before int, evaluated int, status text,
       charged bool, price_micros bigint, approved_at timestamptz, ended_at timestamptz)
    where v.shard = $1 and v.id = any($4::uuid[]) and v.id = i.id
      and ${comesFrom("v.status", ...CHECK_MOVES)} and v.attempts = i.attempts_before
      and v.attempts + i.evaluated <= ${VERIFY_CHECKS_MAX}
   returning 1)
   select 1 / (count(*) = $3)::int as all_moved from moved`,
  { moves: CHECK_MOVES },
);

export const findVerification = statement(
  "find_verification",
  `select ${VERIFICATION_COLUMNS} from verifications v
    where v.shard = $1 and v.account_id = $2 and v.id = $3`,
);

export const DECISION_COLUMNS =
  "d.id, d.phone, d.verification_id, d.allowed, d.reason, d.rule_trace, d.created_at";

export const findDecision = statement(
  "find_verification_decision",
  `select ${DECISION_COLUMNS} from verification_decisions d
    where d.shard = $1 and d.account_id = $2 and d.mode = $3 and d.id = $4`,
);

export const readHours = statement(
  "read_verification_hours",
  `select hour, started, sent, approved, blocked from verification_hours
    where shard = $1 and account_id = $2 and mode = $3 and hour >= $4 order by hour limit $5`,
);

export const findVerifications = statement(
  "find_verifications",
  `select ${VERIFICATION_COLUMNS} from verifications v
    where v.shard = $1 and v.id = any($2::uuid[])`,
);

/** Deletes pending verifications whose only code was permanently refused. */
export const dropVerifications = statement(
  "drop_verifications",
  `with dropped as (
     delete from verifications
      where shard = $1 and id = any($2::uuid[]) and status = 'pending' and sends = 1
     returning account_id, id, mode, phone
   )
   update verification_phones p set verification_id = null
     from dropped d
    where p.shard = $1 and p.account_id = d.account_id and p.mode = d.mode and p.phone = d.phone
      and p.verification_id = d.id`,
);

export const recordStop = statement(
  "record_verification_stop",
  `insert into verification_stops (shard, phone, stopped_at) values ($1, $2, $3)
   on conflict (shard, phone) do nothing`,
);

export const liftStop = statement(
  "lift_verification_stop",
  "delete from verification_stops where shard = $1 and phone = $2",
);
