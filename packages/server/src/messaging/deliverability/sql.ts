import { COUNTED_FAILURES, MESSAGE_MOVES } from "@longwave/contract";
import { isIn, sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";

/** Statements on hourly counts, except for the counting itself (count-sql.ts). */

/** Hours of an account from $4 on, by number and carrier: one range of the primary key. */
export const readHours = statement(
  "read_delivery_hours",
  `select hour, number, carrier, sent, delivered, undelivered, refused from delivery_hours
    where shard = $1 and account_id = $2 and mode = $3 and hour >= $4`,
);

const SUMS = `select hour, number, carrier, sum(sent)::bigint as sent, sum(delivered)::bigint as delivered,
          sum(undelivered)::bigint as undelivered, sum(refused)::bigint as refused
     from delivery_hours
    where shard = $1 and account_id = $2 and mode = $3 and hour >= $4`;
const BY_EACH = "group by grouping sets ((hour), (number), (carrier))";

/** Sums by hour, by number and by carrier; each row has one of the three, and null for the other two. */
export const sumHours = statement("sum_delivery_hours", `${SUMS} ${BY_EACH}`, {
  profile: "scans",
});

/** Like `sumHours`, restricted to the numbers $5. */
export const sumHoursOf = statement(
  "sum_delivery_hours_of",
  `${SUMS} and number = any($5::text[]) ${BY_EACH}`,
  { profile: "scans" },
);

/** Sums of an account's hours from $4 until $5. */
export const sumBetween = statement(
  "sum_delivery_hours_between",
  `select coalesce(sum(sent), 0)::bigint as sent, coalesce(sum(delivered), 0)::bigint as delivered,
          coalesce(sum(undelivered), 0)::bigint as undelivered, coalesce(sum(refused), 0)::bigint as refused
     from delivery_hours
    where shard = $1 and account_id = $2 and mode = $3 and hour >= $4 and hour < $5`,
  { profile: "scans" },
);

/** Reasons and carriers of the newest $5 failed messages with ids from $4 on. */
export const sumFailures = statement(
  "sum_failures",
  `with failed as (
     select id from message_statuses
      where shard = $1 and account_id = $2 and mode = $3 and status = ${sqlLiteral(MESSAGE_MOVES.receipt_failed.to)}
        and id >= $4
      order by id desc limit $5
   )
   select m.failure_code as code, m.carrier, count(*)::int as count
     from failed f
    cross join lateral (
      select failure_code, carrier from messages where shard = $1 and id >= f.id and id <= f.id order by id limit 1
    ) m
    group by 1, 2`,
  { profile: "scans" },
);

const OF_ALL = `sum(sent)::bigint as sent, sum(delivered)::bigint as delivered,
          sum(undelivered)::bigint as undelivered, sum(refused)::bigint as refused
     from delivery_hours where shard = $1 and hour >= $2 and mode = $3`;

/** Sums of all accounts of a shard by hour. */
export const sumHoursOfAll = statement(
  "sum_delivery_hours_of_all",
  `select hour, ${OF_ALL} group by hour`,
  { profile: "scans" },
);

/** The $4 accounts of a shard with most messages in the hours from $2 until $5. */
export const sumAccountsOfAll = statement(
  "sum_delivery_accounts_of_all",
  `select account_id, ${OF_ALL} and hour < $5 group by account_id order by sum(sent + refused) desc, account_id limit $4`,
  { profile: "scans" },
);

/** Accounts after $5 with at least $3 decided messages of mode $4 since $2, some of them failed. */
export const findBusy = statement(
  "find_busy_accounts",
  `select account_id from delivery_hours
    where shard = $1 and hour >= $2 and mode = $4 and account_id > $5::uuid
    group by account_id
   having sum(delivered + undelivered + refused) >= $3 and sum(undelivered + refused) > 0
    order by account_id limit $6`,
);

const DELIVERED = MESSAGE_MOVES.receipt_delivered.to;
const FAILED = MESSAGE_MOVES.receipt_failed.to;
const IS_SENT_THEN = "m.mode = $3 and m.sent_at >= $6 and m.sent_at < $7";
const IS_REFUSED_THEN = `m.mode = $3 and m.sent_at is null and m.failed_at >= $6 and m.failed_at < $7
            and ${isIn("m.failure_code", COUNTED_FAILURES)}`;

/**
 * Outcomes of an account's messages with ids from $4 to $5 that were sent from $6 to $7, counted as the hours
 * are. Reads at most $8 decided messages along the status index. The lateral lookup by id forces the primary
 * key: the planner would treat a new month's partition as empty in a plain join.
 */
export const countSentBetween = statement(
  "count_sent_between",
  `with decided as (
     select id from message_statuses
      where shard = $1 and account_id = $2 and mode = $3 and ${isIn("status", [DELIVERED, FAILED])} and id >= $4 and id < $5
      limit $8
   )
   select m.from_number as number, coalesce(m.carrier, '') as carrier, count(*) as read,
          count(*) filter (where ${IS_SENT_THEN} and m.status = ${sqlLiteral(DELIVERED)}) as delivered,
          count(*) filter (where ${IS_SENT_THEN} and m.status = ${sqlLiteral(FAILED)}) as undelivered,
          count(*) filter (where ${IS_REFUSED_THEN}) as refused
     from decided d
    cross join lateral (
      select from_number, carrier, mode, status, failure_code, sent_at, failed_at from messages
       where shard = $1 and id >= d.id and id <= d.id order by id limit 1
    ) m
    group by m.from_number, m.carrier`,
  { profile: "scans" },
);

/** Drops reported to an account since $4. */
export const readAlarms = statement(
  "read_delivery_alarms",
  `select scope, value from delivery_alarms
    where shard = $1 and account_id = $2 and mode = $3 and alerted_at > $4`,
);

/** Records a reported drop; returns no row if the account got the same report since $7. */
export const recordAlarm = statement(
  "record_delivery_alarm",
  `insert into delivery_alarms as a (shard, account_id, mode, scope, value, alerted_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (shard, account_id, mode, scope, value) do update set alerted_at = excluded.alerted_at
     where a.alerted_at <= $7
   returning 1 as recorded`,
);
