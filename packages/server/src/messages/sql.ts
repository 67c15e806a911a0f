import { consentJoins } from "../consent/index.ts";
import { statement } from "../db/statement.ts";
import { eventCtes, WAKE_WAITING } from "../events/index.ts";
import { dueByShard } from "../queue/due-shards.ts";

/**
 * Every statement on messages and their hand-overs. Each one carries the shard. Groups come as
 * json, not jsonb: nothing in them is looked up twice, and 1,000 messages are read in 19 ms where
 * jsonb takes 25.
 */

/**
 * Locks the counters of the accounts in a group, in one order for everybody. It is a statement of
 * its own: what runs after it in the same transaction sees everything that was committed before
 * the lock was given, so two groups of one account never decide on the same balance, consent or
 * idempotency key.
 */
export const lockAccounts = statement(
  "lock_message_accounts",
  `select account_id from account_counters
    where shard = $1 and account_id = any($2::uuid[])
    order by account_id for update`,
);

/** Joins each item of a group, `i`, with the consent that speaks of it. */
export const ITEM_CONSENT = consentJoins({
  accountId: "i.account_id",
  phone: "i.to_number",
  customerId: "i.customer_id",
});

/**
 * Writes down what a group of hand-overs came to. $2 the items, $3 the message ids, $4 now, $5 the
 * accounts, $6 the month, $7 the keys. Only messages still queued move; the rest of an item follows
 * its message. Rows are named by $3 and $7 beside the join: planned while tables are empty, a join
 * alone would read them from end to end when they are not.
 */
export const settleMessages = statement(
  "settle_messages",
  `with i as (
     select x.* from json_to_recordset($2::json) as x (
       ord int, account_id uuid, id uuid, attempt int, outcome text, status text, carrier text,
       carrier_code text, failure_code text, next_attempt_at timestamptz, receipt_due_at timestamptz,
       carrier_references jsonb, event_id uuid, event_type text, event_data json,
       key_mode text, key_hash text, response_status int, response text)
   ), a as (
     select account_id, event_seq, allowance_month from account_counters
      where shard = $1 and account_id = any($5::uuid[])
   ), m as (
     select m.id, m.price_micros, m.billing, m.created_at, m.customer_id
       from messages m where m.shard = $1 and m.id = any($3::uuid[]) and m.status = 'queued'
      order by m.id for update
   ), ok as (
     select i.*, m.price_micros, m.billing, m.created_at, m.customer_id
       from i join m on m.id = i.id
   ), answers as (
     select outcome, carrier_code, attempt, array_agg(id) as ids from ok group by 1, 2, 3
   ), answered as (
     -- Joined by the few answers there are: a join by message may be done row by row with row.
     update submit_attempts s
        set outcome = said.outcome, carrier_code = said.carrier_code, answered_at = $4::timestamptz
       from answers said
      where s.shard = $1 and s.message_id = any($3::uuid[]) and s.message_id = any(said.ids)
        and s.attempt = said.attempt and s.outcome in ('open', 'unknown')
   ), moved as (
     update messages x
        set status = ok.status,
            attempts = ok.attempt,
            carrier = coalesce(ok.carrier, x.carrier),
            carrier_code = ok.carrier_code,
            failure_code = ok.failure_code,
            next_attempt_at = ok.next_attempt_at,
            receipt_due_at = ok.receipt_due_at,
            sent_at = case when ok.status = 'sent' then $4::timestamptz end,
            failed_at = case when ok.status = 'failed' then $4::timestamptz end,
            price_micros = case when ok.status = 'failed' then 0 else x.price_micros end,
            billing = case when ok.status = 'failed' and x.billing in ('allowance', 'reserved') then 'released'
                           when ok.status = 'sent' and x.billing = 'reserved' then 'settled'
                           else x.billing end
       from ok
      where x.shard = $1 and x.id = any($3::uuid[]) and x.id = ok.id
   ), named as (
     insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
     select $1, ok.carrier, r.reference, ok.id, ok.account_id, r.segment, $4::timestamptz
       from ok, jsonb_array_elements_text(ok.carrier_references) with ordinality as r (reference, segment)
     on conflict do nothing
   ), billed as (
     insert into ledger_entries (shard, account_id, object_id, kind, amount_micros, created_at)
     select $1, account_id, id, 'message', -price_micros, $4::timestamptz
       from ok where status = 'sent' and billing = 'reserved'
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
   ), event_source as (
     select account_id, ord as event_ord, event_id, event_type, customer_id as event_customer_id,
            event_data, $4::timestamptz as event_at
       from ok
   ), ${eventCtes("event_source", "a")},
   totals as (
     select account_id,
            sum(case when billing = 'reserved' and status in ('sent', 'failed') then price_micros else 0 end) as unreserved,
            sum(case when billing = 'reserved' and status = 'sent' then price_micros else 0 end) as spent,
            count(*) filter (where billing = 'allowance' and status = 'failed'
                               and created_at >= $6::date and created_at < $6::date + interval '1 month') as free_texts
       from ok group by account_id
   ), counters as (
     update account_counters x
        set reserved_micros = x.reserved_micros - t.unreserved,
            balance_micros = x.balance_micros - t.spent,
            texts_used = case when x.allowance_month = $6::date then greatest(0, x.texts_used - t.free_texts)
                              else x.texts_used end,
            event_seq = x.event_seq + coalesce(e.events, 0)
       from totals t left join event_counts e on e.account_id = t.account_id
      where x.shard = $1 and x.account_id = t.account_id
   )
   select i.ord, ok.id is not null as moved, ${WAKE_WAITING}
     from i left join ok on ok.ord = i.ord order by i.ord`,
);

/** Receipts that overtook the answer naming their message are looked at again, now that it is named. */
export const wakeEarlyReceipts = statement(
  "wake_early_receipts",
  `update carrier_inbox set due_at = $3
    where shard = $1 and carrier = any($2::text[]) and reference = any($4::text[]) and due_at > $3`,
);

export const MESSAGE_COLUMNS = `m.shard, m.account_id, m.id, m.direction, m.status, m.mode, m.from_number,
  m.to_number, m.body, m.encoding, m.segments, m.price_micros, m.billing, m.simulated, m.auto_reply,
  m.customer_id, m.pool_id, m.batch_id, m.batch_index, m.scheduled_message_id, m.verification_id, m.attempts,
  m.next_attempt_at, m.receipt_due_at, m.failure_code, m.carrier_code, m.carrier, m.created_at,
  m.sent_at, m.delivered_at, m.failed_at`;

export const findMessage = statement(
  "find_message",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.account_id = $2 and m.id = $3`,
);

/** Queued messages whose next attempt (or decision) has come due. */
export const claimDueMessages = statement(
  "claim_due_messages",
  `select ${MESSAGE_COLUMNS}, acc.status as account_status,
          (select s.outcome from submit_attempts s
            where s.shard = $1 and s.message_id = m.id and s.outcome in ('open', 'unknown')) as live_attempt
     from messages m join accounts acc on acc.id = m.account_id
    where m.shard = $1 and m.next_attempt_at <= $2 and m.status = 'queued'
    order by m.next_attempt_at limit $3 for update of m skip locked`,
);

/** Commits a further hand-over of queued messages: the point of no return. */
export const handOverAgain = statement(
  "hand_over_again",
  `with i as (
     select x.* from json_to_recordset($2::json) as x (account_id uuid, id uuid, attempt int, carrier text)
   ), handed as (
     insert into submit_attempts (shard, account_id, message_id, attempt, carrier, outcome, handed_off_at)
     select $1, account_id, id, attempt, carrier, 'open', $3 from i
   )
   update messages m set next_attempt_at = $4, carrier = i.carrier
     from i where m.shard = $1 and m.id = i.id`,
);

/** Says when queued messages are looked at next; null holds them until they are woken. */
export const postponeMessages = statement(
  "postpone_messages",
  `update messages m set next_attempt_at = $3
    where m.shard = $1 and m.id = any($2::uuid[]) and m.status = 'queued'`,
);

/**
 * Which of these recipients have opted out, as the accept statement judges it. Only an opt-out that
 * came later holds back an automatic reply: it answers one, or came before it.
 */
export const findOptedOut = statement(
  "find_opted_out",
  `select i.id
     from json_to_recordset($2::json)
       as i (id uuid, account_id uuid, to_number text, customer_id uuid, replied_at timestamptz)
     ${ITEM_CONSENT}
    where coalesce(cc.status = 'opted_out' and (cc.updated_at <= i.replied_at) is not true, false)
       or coalesce(ca.status = 'opted_out' and (ca.updated_at <= i.replied_at) is not true, false)
          and not coalesce(cc.status = 'opted_in' and cc.seq > ca.seq, false)`,
);

export const messagesDue = dueByShard("messages_due_by_shard", {
  table: "messages",
  dueAt: "next_attempt_at",
  where: "next_attempt_at is not null",
});

export const readQuotaUse = statement(
  "read_quota_use",
  `select quota_used from account_counters
    where shard = $1 and account_id = $2 and quota_day = $3::date`,
);

export const findAttempts = statement(
  "find_submit_attempts",
  `select attempt, carrier, outcome, carrier_code, handed_off_at, answered_at from submit_attempts
    where shard = $1 and account_id = $2 and message_id = $3 order by attempt limit 20`,
);

export const findReceipts = statement(
  "find_receipts",
  `select payload, received_at from carrier_inbox
    where shard = $1 and message_id = $2 and kind = 'receipt' order by received_at limit 20`,
);
