import { COUNTED_FAILURES, MESSAGE_MOVES } from "@longwave/contract";
import { isIn, word } from "../db/guards.ts";
import { statement } from "../db/statement.ts";

/** Every statement on what is counted by hour, apart from the counting itself (count-sql.ts). */

/** An account's hours from $4 on, by number and carrier: rows of one stretch of the key. */
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

/** The same added up by hour, by number and by carrier: of a row's three the other two are null. */
export const sumHours = statement("sum_delivery_hours", `${SUMS} ${BY_EACH}`, {
  profile: "scans",
});

/** Of the numbers $5 only. */
export const sumHoursOf = statement(
  "sum_delivery_hours_of",
  `${SUMS} and number = any($5::text[]) ${BY_EACH}`,
  { profile: "scans" },
);

/** Accounts of a shard of whose texts since $2 at least $3 are decided and some failed, by id after $4. */
export const findBusy = statement(
  "find_busy_accounts",
  `select account_id, mode from delivery_hours
    where shard = $1 and hour >= $2
    group by account_id, mode
   having sum(delivered + undelivered + refused) >= $3 and sum(undelivered + refused) > 0
      and (account_id, mode) > ($4::uuid, $5::text)
    order by account_id, mode limit $6`,
);

const DELIVERED = MESSAGE_MOVES.receipt_delivered.to;
const FAILED = MESSAGE_MOVES.receipt_failed.to;
const IS_SENT_THEN = "m.mode = $3 and m.sent_at >= $6 and m.sent_at < $7";
const IS_REFUSED_THEN = `m.mode = $3 and m.sent_at is null and m.failed_at >= $6 and m.failed_at < $7
            and ${isIn("m.failure_code", COUNTED_FAILURES)}`;

/**
 * What became of an account's texts that left from $6 until $7, of those made from the id $4 until $5; as the
 * hours count it. It reads at most $8 texts: those decided, along the index by status, each by an order that
 * only the key of its table has. A plain join is planned as if a new month's partition were empty still.
 */
export const countSentBetween = statement(
  "count_sent_between",
  `with decided as (
     select id from message_statuses
      where shard = $1 and account_id = $2 and ${isIn("status", [DELIVERED, FAILED])} and id >= $4 and id < $5
      limit $8
   )
   select m.from_number as number, coalesce(m.carrier, '') as carrier, count(*) as read,
          count(*) filter (where ${IS_SENT_THEN} and m.status = ${word(DELIVERED)}) as delivered,
          count(*) filter (where ${IS_SENT_THEN} and m.status = ${word(FAILED)}) as undelivered,
          count(*) filter (where ${IS_REFUSED_THEN}) as refused
     from decided d
    cross join lateral (
      select from_number, carrier, mode, status, failure_code, sent_at, failed_at from messages
       where shard = $1 and id >= d.id and id <= d.id order by id limit 1
    ) m
    group by m.from_number, m.carrier`,
  { profile: "scans" },
);

/** What an account has been told of since $4. */
export const readAlarms = statement(
  "read_delivery_alarms",
  `select scope, value from delivery_alarms
    where shard = $1 and account_id = $2 and mode = $3 and told_at > $4`,
);

/** Notes that an account is told; answers nothing when it has been told since $7. */
export const noteAlarm = statement(
  "note_delivery_alarm",
  `insert into delivery_alarms as a (shard, account_id, mode, scope, value, told_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (shard, account_id, mode, scope, value) do update set told_at = excluded.told_at
     where a.told_at <= $7
   returning 1 as noted`,
);
