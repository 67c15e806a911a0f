import { SUBMIT_ATTEMPT_MOVES } from "@longwave/contract";
import { consentJoins } from "../consent/index.ts";
import { comesFrom, word } from "../db/guards.ts";
import { statement } from "../db/statement.ts";
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

/** Receipts that overtook the answer naming their message are looked at again, now that it is named. */
export const wakeEarlyReceipts = statement(
  "wake_early_receipts",
  `update carrier_inbox set due_at = $3
    where shard = $1 and carrier = any($2::text[]) and reference = any($4::text[]) and due_at > $3`,
);

export const MESSAGE_COLUMNS = `m.shard, m.account_id, m.id, m.direction, m.status, m.mode, m.from_number,
  m.to_number, m.body, m.encoding, m.segments, m.price_micros, m.billing, m.simulated, m.auto_reply,
  m.customer_id, m.pool_id, m.batch_id, m.batch_index, m.scheduled_message_id, m.schedule_id,
  m.run_id, m.verification_id,
  m.from_service, m.expires_at, m.attempts,
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
            where s.shard = $1 and s.message_id = m.id and s.outcome in ('open', 'unknown')) as live_attempt,
          exists (select 1 from submit_attempts s
            where s.shard = $1 and s.message_id = m.id and s.outcome = 'resent') as is_resent
     from messages m join accounts acc on acc.id = m.account_id
    where m.shard = $1 and m.next_attempt_at <= $2 and m.status = 'queued'
    order by m.next_attempt_at limit $3 for update of m skip locked`,
);

/** Commits a further hand-over of queued messages: the point of no return. */
export const handOverAgain = statement(
  "hand_over_again",
  `with i as (
     select x.* from json_to_recordset($2::json) 
       as x (account_id uuid, id uuid, attempt int, carrier text, decided_at timestamptz)
   ), handed as (
     insert into submit_attempts (shard, account_id, message_id, attempt, carrier, outcome, handed_off_at)
     select $1, account_id, id, attempt, carrier, 'open', $3 from i
   )
   update messages m set next_attempt_at = i.decided_at, carrier = i.carrier
     from i where m.shard = $1 and m.id = i.id`,
);

/** Closes hand-overs whose answers were lost, so that their texts may go out once more. */
export const giveUpAnswers = statement(
  "give_up_answers",
  `update submit_attempts set outcome = ${word(SUBMIT_ATTEMPT_MOVES.resent.to)}
    where shard = $1 and message_id = any($2::uuid[])
      and ${comesFrom("outcome", SUBMIT_ATTEMPT_MOVES.resent)}`,
  { moves: [SUBMIT_ATTEMPT_MOVES.resent] },
);

/**
 * Says when queued messages are looked at next; null holds them until they are woken. One that expires
 * is looked at then in any case.
 */
export const postponeMessages = statement(
  "postpone_messages",
  `update messages m set next_attempt_at = least($3, m.expires_at)
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
       as i (id text, account_id uuid, to_number text, customer_id uuid, replied_at timestamptz)
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
