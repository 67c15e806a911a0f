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
const LOCK_ACCOUNTS = `perform 1 from account_counters c
    where c.shard = $1 and c.account_id = any(accounts) order by c.account_id for update;`;

/**
 * The same, and numbers the events of the items, \`event_ids\`, where all of them are of one account and
 * each has one: \`last_seq\` is the number of the last. Locking and numbering are one update then.
 */
export const LOCK_AND_NUMBER = `if cardinality(accounts) = 1 and cardinality(event_ids) > 0 and array_position(event_ids, null) is null then
    update account_counters c set event_seq = c.event_seq + cardinality(event_ids)
     where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
  else
    ${LOCK_ACCOUNTS}
  end if;`;

/** Takes back the numbers of those that are not told of after all; \`done\` is an array of the others. */
export function unnumber(done: string): string {
  return `if last_seq is not null and coalesce(cardinality(${done}), 0) < cardinality(event_ids) then
    update account_counters c set event_seq = c.event_seq - cardinality(event_ids) + coalesce(cardinality(${done}), 0)
     where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
  end if;`;
}

/** When workers look at the texts of `source`, a row with their number `i` each, in \`next_attempts\`. */
export function insertDueAttempts(source: string): string {
  return `insert into due_attempts (shard, due_at, id, message_ids)
    select $1, max(next_attempts[i]), gen_random_uuid(), array_agg(ids[i])
      from ${source} where next_attempts[i] is not null
     group by floor(extract(epoch from next_attempts[i]) * 10);`;
}

/** Receipts that fall due within this time come together, when the last of them does. */
export const RECEIPTS_TOGETHER_MS = 25;

/**
 * When receipts of the texts numbered by \`done\` come, and what is told of them then. \`receipts_at\` is
 * given where those of all items come together: nothing need be grouped then, if all are simply
 * delivered. Otherwise \`receipt_times\` tells of each.
 */
export function insertDueReceipts(done: "accepted" | "moved"): string {
  return `if receipts_at is not null and cardinality(${done}) = cardinality(ids)
     and position(E'\\n\\n' in E'\\n' || receipt_events || E'\\n') = 0 then
    insert into due_receipts (shard, due_at, id, account_id, message_ids, events)
    values ($1, receipts_at, gen_random_uuid(), accounts[1], ids, receipt_events);
  elsif cardinality(receipt_times) > 0 then
    told := string_to_array(receipt_events, E'\\n');
    insert into due_receipts (shard, due_at, id, account_id, message_ids, events)
    select $1, max(receipt_times[i]), gen_random_uuid(), account_ids[i], array_agg(ids[i]),
           case when told[i] = '' then null else string_agg(told[i], E'\\n') end
      from unnest(${done}) as i where receipt_times[i] is not null
     group by account_ids[i], floor(extract(epoch from receipt_times[i]) * 1000 / ${RECEIPTS_TOGETHER_MS}), told[i] = '';
  end if;`;
}

/** Tells of the texts numbered by \`done\`; \`told\` has the data of each, \`types\` is an array of their types. */
export function tellOf(done: "accepted" | "moved", types: string, typeOf: string): string {
  return `if cardinality(${done}) = cardinality(ids) then
    told_count := tell_v1($1, at, accounts, last_seq, account_ids, event_ids, ${types}, customer_ids, told);
  else
    perform tell_v1($1, at, accounts, last_seq, array_agg(account_ids[i]), array_agg(event_ids[i]), array_agg(${typeOf}),
                    array_agg(customer_ids[i]), array_agg(told[i])) from unnest(${done}) as i;
  end if;`;
}

/** Moves the rows of message_statuses along with the messages numbered by \`moved\`, those that moved so. */
export function moveStatuses(from: MessageStatus, to: MessageStatus): string {
  return `update message_statuses s set status = ${word(to)}
   where s.shard = $1 and s.account_id = any(accounts) and s.status = ${word(from)}
     and s.id >= first_id and s.id <= last_id
     and s.id = any(array(select ids[i] from unnest(moved) as i where statuses[i] = ${word(to)}));`;
}
