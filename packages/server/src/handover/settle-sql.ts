import { BILLING_MOVES, MESSAGE_MOVES, SUBMIT_ATTEMPT_MOVES } from "@longwave/contract";
import {
  billingAfterMove,
  ledgerOfTexts,
  settledByItems,
  settleSets,
  settlesText,
  takeSets,
} from "../billing/index.ts";
import { comesFrom, word } from "../db/guards.ts";
import { statement } from "../db/statement.ts";
import { countingHandOvers, countingSent } from "../deliverability/index.ts";
import { eventCtes, WAKE_WAITING } from "../events/index.ts";

const { carrier_accepted, carrier_deferred, given_up } = MESSAGE_MOVES;
const { accepted, deferred, refused, lost } = SUBMIT_ATTEMPT_MOVES;
const MESSAGE_OUTCOMES = [carrier_accepted, carrier_deferred, given_up] as const;
const ATTEMPT_OUTCOMES = [accepted, deferred, refused, lost] as const;

/** What the carriers call those that they took, `ok`; receipts name them by it. */
const NAMING = `named as (
     insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
     select $1, ok.carrier, r.reference, ok.id, ok.account_id, r.segment, $4::timestamptz
       from ok, jsonb_array_elements_text(ok.carrier_references) with ordinality as r (reference, segment)
     on conflict do nothing
   )`;

const TELLING = `event_source as (
     select account_id, ord as event_ord, event_id, event_type, customer_id as event_customer_id,
            event_data, $4::timestamptz as event_at
       from ok
   ), ${eventCtes("event_source", "a")}`;

/**
 * Writes down what a group of hand-overs came to. $2 the items, $3 the message ids, $4 now, $5 the
 * accounts, $6 the month, $7 the keys. Only messages still queued move; the rest of an item follows
 * its message. Rows are named by $3 and $7 beside the join: planned while tables are empty, a join
 * alone would read them from end to end when they are not. Answers the items that moved.
 */
export const settleMessages = statement(
  "settle_messages",
  `with i as (
     select x.* from json_to_recordset($2::json) as x (
       ord int, account_id uuid, id uuid, attempt int, attempts int, outcome text, status text, carrier text,
       carrier_code text, failure_code text, next_attempt_at timestamptz, receipt_due_at timestamptz,
       carrier_references jsonb, event_id uuid, event_type text, event_data json,
       key_mode text, key_hash text, response_status int, response text)
   ), a as (
     select account_id, event_seq from account_counters
      where shard = $1 and account_id = any($5::uuid[])
   ), m as (
     select m.id, m.price_micros, m.billing, m.created_at, m.customer_id, m.mode, m.from_number, m.from_service
       from messages m where m.shard = $1 and m.id = any($3::uuid[])
        and ${comesFrom("m.status", ...MESSAGE_OUTCOMES)}
      order by m.id for update
   ), ok as (
     select i.*, m.price_micros, m.billing, m.created_at, m.customer_id, m.mode, m.from_number, m.from_service
       from i join m on m.id = i.id
   ), answers as (
     select outcome, carrier_code, attempt, array_agg(id) as ids from ok group by 1, 2, 3
   ), answered as (
     -- Joined by the few answers there are: a join by message may be done row by row with row.
     update submit_attempts s
        set outcome = said.outcome, carrier_code = said.carrier_code, answered_at = $4::timestamptz
       from answers said
      where s.shard = $1 and s.message_id = any($3::uuid[]) and s.message_id = any(said.ids)
        and s.attempt = said.attempt and ${comesFrom("s.outcome", ...ATTEMPT_OUTCOMES)}
   ), moved as (
     update messages x
        set status = ok.status,
            attempts = ok.attempts,
            carrier = coalesce(ok.carrier, x.carrier),
            carrier_code = ok.carrier_code,
            failure_code = ok.failure_code,
            next_attempt_at = ok.next_attempt_at,
            receipt_due_at = ok.receipt_due_at,
            sent_at = case when ok.status = 'sent' then $4::timestamptz end,
            failed_at = case when ok.status = 'failed' then $4::timestamptz end,
            price_micros = case when ok.status = 'failed' then 0 else x.price_micros end,
            billing = ${billingAfterMove("x.billing", "ok.status", ...MESSAGE_OUTCOMES)}
       from ok
      where x.shard = $1 and x.id = any($3::uuid[]) and x.id = ok.id
   ), ${NAMING}, billed as (
     ${ledgerOfTexts("ok", settlesText(...MESSAGE_OUTCOMES), "$4::timestamptz")}
   ), claims as (
     update idempotency_keys k set status = ok.response_status, response = convert_to(ok.response, 'UTF8')
       from ok
      where ok.response is not null and k.shard = $1 and k.account_id = any($5::uuid[])
        and k.key_hash = any($7::bytea[]) and k.account_id = ok.account_id
        and k.mode = ok.key_mode and k.key_hash = decode(ok.key_hash, 'hex')
   ), released_claims as (
     -- A refusal for good is a failed request: its key is free again.
     delete from idempotency_keys k using ok
      where ok.status = 'failed' and ok.key_hash is not null and k.shard = $1
        and k.account_id = any($5::uuid[]) and k.key_hash = any($7::bytea[]) and k.account_id = ok.account_id and k.mode = ok.key_mode and k.key_hash = decode(ok.key_hash, 'hex')
   ), ${countingHandOvers("ok", "$4::timestamptz")}, ${TELLING},
   totals as (
     select account_id, ${settledByItems("$6::date", ...MESSAGE_OUTCOMES)}
       from ok group by account_id
   ), counters as (
     update account_counters x
        set ${settleSets("$6::date")},
            event_seq = x.event_seq + coalesce(e.events, 0)
       from totals t left join event_counts e on e.account_id = t.account_id
      where x.shard = $1 and x.account_id = t.account_id
   )
   select array_agg(ord) as moved, ${WAKE_WAITING} from ok`,
  { moves: [...MESSAGE_OUTCOMES, ...ATTEMPT_OUTCOMES, ...Object.values(BILLING_MOVES)] },
);

const IS_SETTLED = `billing = ${word(BILLING_MOVES.settle.to)}`;

/**
 * The same for a group that the carriers took as a whole, and of which no item has a key: what most
 * of them are. $7 is not needed then, nor the parts that give back what was held.
 */
export const settleAccepted = statement(
  "settle_accepted",
  `with i as materialized (
     select x.* from json_to_recordset($2::json) as x (
       ord int, account_id uuid, id uuid, attempt int, attempts int, carrier text, receipt_due_at timestamptz,
       carrier_references jsonb, event_id uuid, event_type text, event_data json)
   ), a as (
     select account_id, event_seq from account_counters
      where shard = $1 and account_id = any($5::uuid[])
   ), ok as (
     update messages x
        set status = ${word(carrier_accepted.to)},
            attempts = i.attempts,
            carrier = coalesce(i.carrier, x.carrier),
            carrier_code = null,
            next_attempt_at = null,
            receipt_due_at = i.receipt_due_at,
            sent_at = $4::timestamptz,
            billing = ${billingAfterMove("x.billing", word(carrier_accepted.to), carrier_accepted)}
       from i
      where x.shard = $1 and x.id = any($3::uuid[]) and x.id = i.id
        and (${comesFrom("x.status", carrier_accepted)}) is true
     returning i.*, x.price_micros, x.billing, x.customer_id, x.mode, x.from_number, x.from_service
   ), answers as (
     select attempt, array_agg(id) as ids from ok group by 1
   ), answered as (
     update submit_attempts s set outcome = ${word(accepted.to)}, answered_at = $4::timestamptz
       from answers said
      where s.shard = $1 and s.message_id = any($3::uuid[]) and s.message_id = any(said.ids)
        and s.attempt = said.attempt and ${comesFrom("s.outcome", accepted)}
   ), ${NAMING}, billed as (
     ${ledgerOfTexts("ok", IS_SETTLED, "$4::timestamptz")}
   ), ${countingSent("ok", "$4::timestamptz")}, ${TELLING},
   totals as (
     select account_id, sum(case when ${IS_SETTLED} then price_micros else 0 end) as spent
       from ok group by account_id
   ), counters as (
     update account_counters x
        set ${takeSets("$6::date")},
            event_seq = x.event_seq + coalesce(e.events, 0)
       from totals t left join event_counts e on e.account_id = t.account_id
      where x.shard = $1 and x.account_id = t.account_id
   )
   select array_agg(ord) as moved, ${WAKE_WAITING} from ok`,
  { moves: [carrier_accepted, accepted, BILLING_MOVES.settle] },
);
