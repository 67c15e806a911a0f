import { SUBMIT_ATTEMPT_MOVES } from "@longwave/contract";
import { consentJoins } from "../consent/index.ts";
import { comesFrom, word } from "../db/guards.ts";
import { statement } from "../db/statement.ts";
import { dueByShard } from "../queue/lane.ts";

/** What carriers bring belongs to no account until it is matched, so it lies on the first shard. */
export const INBOX_SHARD = 0;

/** A carrier may use a reference, `w`, again after a while: of a shard, `s`, the newest message that it names counts. */
export const NEWEST_NAMED = `select c.message_id, c.created_at from carrier_references c
  where c.shard = s.shard and c.carrier = w.carrier and c.reference = w.reference
  order by c.created_at desc limit 1`;

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

export const MESSAGE_COLUMNS = `m.shard, m.account_id, m.id, m.direction, m.status, m.mode, m.from_number,
  m.to_number, m.body, m.encoding, m.segments, m.price_micros, m.billing, m.simulated, m.auto_reply,
  m.customer_id, m.pool_id, m.batch_id, m.batch_index, m.scheduled_message_id, m.schedule_id,
  m.run_id, m.verification_id,
  m.from_service, m.expires_at, m.quiet_hours, m.attempts,
  m.is_out, m.handed_at, m.next_attempt_at, m.failure_code, m.carrier_code, m.carrier, m.created_at,
  m.sent_at, m.delivered_at, m.failed_at`;

export const findMessage = statement(
  "find_message",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.account_id = $2 and m.id = $3`,
);

/** Rows of due attempts, which somebody then works on. */
export const claimDueAttempts = statement(
  "claim_due_attempts",
  `select d.id, d.message_ids from due_attempts d
    where d.shard = $1 and d.due_at <= $2 order by d.due_at limit $3 for update skip locked`,
);

/** The same rows for whoever needs no lock on them. */
export const findDueAttempts = statement(
  "find_due_attempts",
  `select d.id, d.message_ids from due_attempts d
    where d.shard = $1 and d.due_at <= $2 order by d.due_at limit $3`,
);

/**
 * Leaves of a row of due attempts ($3) the messages that nothing could be done about ($4), due after as
 * long as they are overdue, within $5 to $6 seconds. Only one who finds the row leaves something of it,
 * so that there are never more of them.
 */
export const setAsideAttempts = statement(
  "set_aside_attempts",
  `with gone as (
     delete from due_attempts d where d.shard = $1 and d.due_at <= $2 and d.id = $3 returning d.id
   ), overdue as (
     select extract(epoch from $2::timestamptz - min(m.next_attempt_at)) as seconds
       from messages m where m.shard = $1 and m.id = any($4::uuid[]) and m.status = 'queued'
   )
   insert into due_attempts (shard, due_at, id, message_ids)
   select $1, $2::timestamptz + make_interval(secs => least(greatest(seconds, $5), $6)),
          gen_random_uuid(), $4
     from gone, overdue where seconds is not null`,
);

export const forgetDueAttempts = statement(
  "forget_due_attempts",
  "delete from due_attempts d where d.shard = $1 and d.due_at <= $2 and d.id = any($3::uuid[])",
);

/** Whose locks are needed to look at what is due. */
export const findDueMessages = statement(
  "find_due_messages",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.id = any($2::uuid[]) and m.status = 'queued' and m.next_attempt_at <= $3`,
);

/** Those of them that are due now that nobody else moves them. */
export const lockDueMessages = statement(
  "lock_due_messages",
  `select ${MESSAGE_COLUMNS}, acc.status as account_status,
          exists (select 1 from submit_attempts s
            where s.shard = $1 and s.message_id = m.id and s.outcome = 'resent') as is_resent
     from messages m join accounts acc on acc.id = m.account_id
    where m.shard = $1 and m.id = any($2::uuid[]) and m.status = 'queued' and m.next_attempt_at <= $3
    order by m.next_attempt_at, m.id for update of m`,
);

/**
 * Commits a further hand-over of queued messages: the point of no return. $2 the items, $3 now. One
 * that is out stays out: only a code whose answer was given up goes out beside it. Answers those that
 * were handed over.
 */
export const handOverAgain = statement(
  "hand_over_again",
  `with i as (
     select x.* from json_to_recordset($2::json)
       as x (id uuid, attempt int, carrier text, decided_at timestamptz, is_given_up bool)
   ), handed as (
     update messages m
        set attempts = i.attempt, carrier = i.carrier, is_out = true, handed_at = $3::timestamptz,
            next_attempt_at = i.decided_at
       from i
      where m.shard = $1 and m.id = any($4::uuid[]) and m.id = i.id and m.status = 'queued'
        and m.attempts = i.attempt - 1 and m.is_out = i.is_given_up
     returning m.id, m.next_attempt_at
   ), due as (
     insert into due_attempts (shard, due_at, id, message_ids)
     select $1, max(next_attempt_at), gen_random_uuid(), array_agg(id) from handed
      group by floor(extract(epoch from next_attempt_at) * 10)
   )
   select id from handed`,
);

/** Keeps that answers were lost and are not waited for, so that their texts may go out once more. */
export const giveUpAnswers = statement(
  "give_up_answers",
  `insert into submit_attempts as s
     (shard, account_id, message_id, attempt, carrier, outcome, handed_off_at, answered_at)
   select $1, m.account_id, m.id, m.attempts, m.carrier, ${word(SUBMIT_ATTEMPT_MOVES.resent.to)}, m.handed_at, $3
     from messages m where m.shard = $1 and m.id = any($2::uuid[]) and m.is_out
   on conflict (shard, message_id, attempt) do update set outcome = excluded.outcome
    where ${comesFrom("s.outcome", SUBMIT_ATTEMPT_MOVES.resent)}`,
  { moves: [SUBMIT_ATTEMPT_MOVES.resent] },
);

/**
 * Says when queued messages are looked at next; null holds them until they are woken. One that expires
 * is looked at then in any case.
 */
export const postponeMessages = statement(
  "postpone_messages",
  `with postponed as (
     update messages m set next_attempt_at = least($3::timestamptz, m.expires_at)
      where m.shard = $1 and m.id = any($2::uuid[]) and m.status = 'queued'
     returning m.id, m.next_attempt_at
   )
   insert into due_attempts (shard, due_at, id, message_ids)
   select $1, max(next_attempt_at), gen_random_uuid(), array_agg(id) from postponed
    where next_attempt_at is not null group by floor(extract(epoch from next_attempt_at) * 10)`,
);

/**
 * Which of these recipients have opted out, as the accept statement judges it. Only an opt-out that
 * came later holds back an automatic reply: it answers one, or came before it.
 */
export const findOptedOut = statement(
  "find_opted_out",
  `select i.id
     from json_to_recordset($2::json)
       as i (id text, account_id uuid, to_number text, customer_id uuid, replied_at timestamptz)
     ${ITEM_CONSENT}
    where coalesce(cc.status = 'opted_out' and (cc.updated_at <= i.replied_at) is not true, false)
       or coalesce(ca.status = 'opted_out' and (ca.updated_at <= i.replied_at) is not true, false)
          and not coalesce(cc.status = 'opted_in' and cc.seq > ca.seq, false)`,
);

export const attemptsDue = dueByShard("attempts_due_by_shard", {
  table: "due_attempts",
  dueAt: "due_at",
  where: "true",
});

/** The receipts of the simulated network that have come due. */
export const findDueReceipts = statement(
  "find_due_receipts",
  `select d.id, d.account_id, d.events is not null as is_plain,
          case when d.events is null then d.message_ids end as message_ids,
          cardinality(d.message_ids) as texts
     from due_receipts d where d.shard = $1 and d.due_at <= $2 order by d.due_at limit $3`,
  { profile: "queues" },
);

export const forgetDueReceipts = statement(
  "forget_due_receipts",
  "delete from due_receipts d where d.shard = $1 and d.due_at <= $2 and d.id = any($3::uuid[])",
);

export const receiptsDue = dueByShard("receipts_due_by_shard", {
  table: "due_receipts",
  dueAt: "due_at",
  where: "true",
});

/** What of messages their receipts need to know. */
export const RECEIVED_COLUMNS = `m.account_id, m.id, m.to_number, m.customer_id, m.from_service, m.sent_at,
  m.schedule_id, m.run_id`;

export const findReceived = statement(
  "find_received",
  `select ${RECEIVED_COLUMNS} from messages m where m.shard = $1 and m.id = any($2::uuid[])`,
);
