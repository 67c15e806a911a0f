import { MESSAGE_MOVES } from "@longwave/contract";
import { comesFrom, word } from "../db/guards.ts";
import { statement } from "../db/statement.ts";
import { countingReceipts } from "../deliverability/index.ts";
import { eventCtes, WAKE_WAITING } from "../events/index.ts";
import { dueByShard } from "../queue/due-shards.ts";

/**
 * Final receipts of a group of messages, in three statements of one transaction: the messages are
 * moved, the accounts' counters locked, and the moves told. The moving is most of the work, and is
 * done before the lock, so that sends of the same accounts go on meanwhile.
 */

const { receipt_delivered, receipt_failed } = MESSAGE_MOVES;

const PLACES = ["$5::uuid[]", "$6::text[]", "$7::timestamptz[]", "$8::text[]", "$9::text[]"];

/** How the first statement tells the third which items moved their message. */
const MOVED = "longwave.receipts_moved";

/**
 * Moves messages. $2 their ids, $3 now, and for each $4 the status, $5 a failure code, $6 a carrier's
 * code; arrays may end early where the rest is null. Only messages that are sent move, so a late,
 * repeated or contradictory receipt changes nothing. Answers those that did, counted from one.
 */
export const moveReceived = statement(
  "move_received",
  `with moved as (
     update messages m
        set status = x.status,
            delivered_at = case when x.status = ${word(receipt_delivered.to)} then $3::timestamptz end,
            failed_at = case when x.status = ${word(receipt_failed.to)} then $3::timestamptz end,
            failure_code = x.failure_code,
            carrier_code = coalesce(x.carrier_code, m.carrier_code),
            receipt_due_at = null
       from unnest($2::uuid[], $4::text[], $5::text[], $6::text[]) with ordinality
         as x (id, status, failure_code, carrier_code, ord)
      where m.shard = $1 and m.id = any($2::uuid[]) and m.id = x.id
        -- Rows are found by their ids; this is not for an index to look up.
        and (${comesFrom("m.status", receipt_delivered, receipt_failed)}) is true
     returning x.ord
   )
   select array_agg(ord::int) as moved,
          set_config('${MOVED}', coalesce(string_agg(ord::text, ','), ''), true) as told
     from moved`,
  { moves: [receipt_delivered, receipt_failed] },
);

/**
 * Tells of the messages just moved, counts them, and wakes who waits. $2 the items, $3 the accounts,
 * $4 now, $5 to $9 the places where they are counted.
 */
export const tellReceived = statement(
  "tell_received",
  `with a as materialized (
     select account_id, event_seq from account_counters where shard = $1 and account_id = any($3::uuid[])
   ), event_source as materialized (
     select account_id, ord as event_ord, event_id, event_type, customer_id as event_customer_id,
            event_data, $4::timestamptz as event_at, place
       from unnest(string_to_array(current_setting('${MOVED}'), ',')::int[]) as moved (ord)
       join json_to_recordset($2::json)
         as x (ord int, account_id uuid, customer_id uuid, event_id uuid, event_type text, event_data json, place int)
      using (ord)
   ), ${countingReceipts("event_source", PLACES)}, ${eventCtes("event_source", "a")}, counters as (
     update account_counters c set event_seq = c.event_seq + e.events
       from event_counts e where c.shard = $1 and c.account_id = e.account_id
   )
   select ${WAKE_WAITING}`,
);

/** Sandbox (and simulated live) messages whose receipt has come due. */
export const findDueReceipts = statement(
  "find_due_receipts",
  `select m.account_id, m.id, m.mode, m.from_number, m.to_number, m.customer_id, m.from_service, m.carrier, m.sent_at,
          m.schedule_id, m.run_id
     from messages m
    where m.shard = $1 and m.receipt_due_at <= $2
    order by m.receipt_due_at limit $3`,
);

export const receiptsDue = dueByShard("receipts_due_by_shard", {
  table: "messages",
  dueAt: "receipt_due_at",
  where: "receipt_due_at is not null",
});
