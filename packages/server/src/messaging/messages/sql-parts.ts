import type { MessageStatus } from "@longwave/contract";
import { sqlLiteral } from "../../core/db/driver/guards.ts";

/**
 * SQL fragments shared by the functions that accept, settle and receive. Each fragment uses the variables of the
 * enclosing function, which have the same names everywhere.
 */

/**
 * Locks the counters of the accounts, ordered by account id.
 *
 * The lock is a statement of its own, so later statements see everything committed before it was granted. Two
 * groups of one account therefore never decide on the same balance, consent or idempotency key. Every function
 * that moves messages takes this lock.
 */
const LOCK_ACCOUNTS = `perform 1 from account_counters c
    where c.shard = $1 and c.account_id = any(accounts) order by c.account_id for update;`;

/**
 * Locks like LOCK_ACCOUNTS and, for a single account whose items all have `event_ids`, numbers their events in the
 * same UPDATE. `last_seq` is the last number.
 */
export const LOCK_AND_NUMBER_EVENTS = `if cardinality(accounts) = 1 and cardinality(event_ids) > 0 and array_position(event_ids, null) is null then
    update account_counters c set event_seq = c.event_seq + cardinality(event_ids)
     where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
  else
    ${LOCK_ACCOUNTS}
  end if;`;

/** Returns the event numbers of items that did not move after all; `done` is an array of the others. */
export function returnEventNumbers(done: string): string {
  return `if last_seq is not null and coalesce(cardinality(${done}), 0) < cardinality(event_ids) then
    update account_counters c set event_seq = c.event_seq - cardinality(event_ids) + coalesce(cardinality(${done}), 0)
     where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
  end if;`;
}

/** Hash of one `pair` of key and value, in message_metadata. */
export const METADATA_PAIR_HASH = "hashtextextended(pair.value, hashtextextended(pair.key, 0))";

/** Stores due times of the items of `source`: rows with the item's number `i`. Reads `next_attempts`. */
export function insertDueAttempts(source: string): string {
  return `insert into due_attempts (shard, due_at, id, message_ids)
    select $1, max(next_attempts[i]), gen_random_uuid(), array_agg(ids[i])
      from ${source} where next_attempts[i] is not null
     group by floor(extract(epoch from next_attempts[i]) * 10);`;
}

/**
 * Stores the due times of simulated receipts with the events to append: one row per account and time. Receipts
 * without an event get rows of their own.
 */
export function insertDueReceipts(done: "accepted" | "moved"): string {
  return `if cardinality(receipt_times) > 0 then
    event_json := string_to_array(receipt_events, E'\\n');
    insert into due_receipts (shard, due_at, id, account_id, message_ids, events)
    select $1, receipt_times[i], gen_random_uuid(), account_ids[i], array_agg(ids[i]),
           case when event_json[i] = '' then null else string_agg(event_json[i], E'\\n') end
      from unnest(${done}) as i where receipt_times[i] is not null
     group by account_ids[i], receipt_times[i], event_json[i] = '';
  end if;`;
}

/**
 * Appends the events of the items in `done`. `event_json` has the data of each item, `types` is an array of types,
 * and `modes` names the array of modes.
 */
export function appendEventsSql(
  done: "accepted" | "moved",
  types: string,
  typeOf: string,
  modes: "modes" | "event_modes" = "event_modes",
): string {
  return `if cardinality(${done}) = cardinality(ids) then
    event_count := append_events_v1($1, at, accounts, last_seq, account_ids, event_ids, ${types}, ${modes}, customer_ids, event_json);
  else
    perform append_events_v1($1, at, accounts, last_seq, array_agg(account_ids[i]), array_agg(event_ids[i]), array_agg(${typeOf}), array_agg(${modes}[i]),
                    array_agg(customer_ids[i]), array_agg(event_json[i])) from unnest(${done}) as i;
  end if;`;
}

/** Updates `message_statuses` for the items in `moved` that changed to this status. */
export function moveStatuses(from: MessageStatus, to: MessageStatus): string {
  return `update message_statuses s set status = ${sqlLiteral(to)}
   where s.shard = $1 and s.account_id = any(accounts) and s.mode in ('test', 'live') and s.status = ${sqlLiteral(from)}
     and s.id >= first_id and s.id <= last_id
     and s.id = any(array(select ids[i] from unnest(moved) as i where statuses[i] = ${sqlLiteral(to)}));`;
}
