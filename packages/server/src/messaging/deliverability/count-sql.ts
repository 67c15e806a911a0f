import { COUNTED_FAILURES, MESSAGE_MOVES } from "@longwave/contract";
import { isIn, sqlLiteral } from "../../core/db/driver/guards.ts";

/**
 * SQL that counts the outcomes of messages by hour, for functions that change messages. The caller must have
 * locked the counters of the accounts: that prevents deadlocks between two groups.
 */

const INTO = `insert into delivery_hours as d
       (shard, account_id, mode, hour, number, carrier, sent, delivered, undelivered, refused)`;

const ADDING = `on conflict (shard, account_id, mode, hour, number, carrier) do update
       set sent = d.sent + excluded.sent, delivered = d.delivered + excluded.delivered,
           undelivered = d.undelivered + excluded.undelivered, refused = d.refused + excluded.refused`;

const hourOf = (at: string) => `date_trunc('hour', ${at}, 'UTC')`;

/**
 * Counts messages that a carrier accepted at `at`, or refused permanently. `source` has account_id, mode,
 * from_number, carrier, from_service, status and failure_code.
 */
export function countSubmits(source: string, at: string): string {
  const isSent = `status = ${sqlLiteral(MESSAGE_MOVES.carrier_accepted.to)}`;
  const isRefused = `status = ${sqlLiteral(MESSAGE_MOVES.given_up.to)} and ${isIn("failure_code", COUNTED_FAILURES)}`;
  return `${INTO}
     select $1, account_id, mode, ${hourOf(at)}, from_number, coalesce(carrier, ''),
            count(*) filter (where ${isSent}), 0, 0, count(*) filter (where ${isRefused})
       from ${source} where from_service is not true and (${isSent} or ${isRefused})
      group by 2, 3, 4, 5, 6
     ${ADDING}`;
}

/**
 * Adds accepted sandbox messages of the one number in `accounts[1]`, `modes[1]` and `senders[1]` to its row of
 * the hour. Cheaper than `countSent`, which groups and tries an insert first. Counts nothing without a row.
 */
export function addSent(count: string, at: string): string {
  return `update delivery_hours d set sent = d.sent + ${count}
     where d.shard = $1 and d.account_id = accounts[1] and d.mode = modes[1] and d.hour = ${hourOf(at)}
       and d.number = senders[1] and d.carrier = ''`;
}

/** Like `countSubmits`, for a `source` whose messages were all accepted. */
export function countSent(source: string, at: string): string {
  return `${INTO}
     select $1, account_id, mode, ${hourOf(at)}, from_number, coalesce(carrier, ''), count(*), 0, 0, 0
       from ${source} where not from_service
      group by 2, 3, 4, 5, 6
     ${ADDING}`;
}

/**
 * Counts final receipts in the hour of the message's submit. `source` has account_id, mode, sent_at,
 * from_number, carrier, from_service and the receipt's status.
 */
export function countReceipts(source: string): string {
  return `${INTO}
     select $1, account_id, mode, ${hourOf("sent_at")}, from_number, coalesce(carrier, ''), 0,
            count(*) filter (where status = ${sqlLiteral(MESSAGE_MOVES.receipt_delivered.to)}),
            count(*) filter (where status = ${sqlLiteral(MESSAGE_MOVES.receipt_failed.to)}), 0
       from ${source} where not from_service
      group by 2, 3, 4, 5, 6
     ${ADDING}`;
}
