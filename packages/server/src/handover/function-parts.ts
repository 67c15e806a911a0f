import type { MessageStatus } from "@longwave/contract";
import { word } from "../db/guards.ts";

/**
 * What the functions of hand-overs share. Each is a statement of theirs: they speak of the functions'
 * own variables, whose names are the same everywhere.
 */

/**
 * Locks the counters of the accounts, in one order for everybody. It is a statement of its own: what
 * runs after it sees everything that was committed before the lock was given, so two groups of one
 * account never decide on the same balance, consent or idempotency key. All that moves messages holds it.
 */
export const LOCK_ACCOUNTS = `perform 1 from account_counters c
    where c.shard = $1 and c.account_id = any(accounts) order by c.account_id for update;`;

/** When workers look at the texts of `source`, a row with their number `i` each, in \`next_attempts\`. */
export function insertDueAttempts(source: string): string {
  return `insert into due_attempts (shard, due_at, id, message_ids)
    select $1, max(next_attempts[i]), gen_random_uuid(), array_agg(ids[i])
      from ${source} where next_attempts[i] is not null
     group by floor(extract(epoch from next_attempts[i]) * 10);`;
}

/**
 * When receipts of the texts of `source` come, by \`receipt_times\`, and what is told of them then. Those
 * of 25 ms come together, at the last one's time.
 */
export function insertDueReceipts(source: string): string {
  return `told := string_to_array(receipt_events, E'\\n');
    insert into due_receipts (shard, due_at, id, account_id, message_ids, events)
    select $1, max(receipt_times[i]), gen_random_uuid(), account_ids[i], array_agg(ids[i]),
           case when told[i] = '' then null else string_agg(told[i], E'\\n') end
      from ${source} where receipt_times[i] is not null
     group by account_ids[i], floor(extract(epoch from receipt_times[i]) * 40), told[i] = '';`;
}

/** Moves the rows of message_statuses along with the messages numbered by \`moved\`, those that moved so. */
export function moveStatuses(from: MessageStatus, to: MessageStatus): string {
  return `update message_statuses s set status = ${word(to)}
   where s.shard = $1 and s.account_id = any(accounts) and s.status = ${word(from)}
     and s.id >= first_id and s.id <= last_id
     and s.id = any(array(select ids[i] from unnest(moved) as i where statuses[i] = ${word(to)}));`;
}
