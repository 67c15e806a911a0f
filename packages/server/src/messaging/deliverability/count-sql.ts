import { COUNTED_FAILURES, MESSAGE_MOVES } from "@longwave/contract";
import { isIn, word } from "../db/guards.ts";

/**
 * The statements by which the functions that move texts count what becomes of them. Whoever uses one has
 * locked the counters of the accounts: that keeps two groups from waiting for each other's rows here.
 */

const INTO = `insert into delivery_hours as d
       (shard, account_id, mode, hour, number, carrier, sent, delivered, undelivered, refused)`;

const ADDING = `on conflict (shard, account_id, mode, hour, number, carrier) do update
       set sent = d.sent + excluded.sent, delivered = d.delivered + excluded.delivered,
           undelivered = d.undelivered + excluded.undelivered, refused = d.refused + excluded.refused`;

const hourOf = (at: string) => `date_trunc('hour', ${at}, 'UTC')`;

/**
 * Counts texts that a carrier took at the moment `at`, or refused for good. `source` has account_id,
 * mode, from_number, carrier, from_service, status and failure_code.
 */
export function countHandOvers(source: string, at: string): string {
  const isSent = `status = ${word(MESSAGE_MOVES.carrier_accepted.to)}`;
  const isRefused = `status = ${word(MESSAGE_MOVES.given_up.to)} and ${isIn("failure_code", COUNTED_FAILURES)}`;
  return `${INTO}
     select $1, account_id, mode, ${hourOf(at)}, from_number, coalesce(carrier, ''),
            count(*) filter (where ${isSent}), 0, 0, count(*) filter (where ${isRefused})
       from ${source} where from_service is not true and (${isSent} or ${isRefused})
      group by 2, 3, 4, 5, 6
     ${ADDING}`;
}

/**
 * The same for texts of one number in the sandbox that were all taken, \`accounts\`, \`modes\` and \`senders\`
 * saying whose: where the hour has a row, adding to it takes less than grouping, trying to insert and
 * then adding. Where it has none, nothing is counted.
 */
export function addSent(texts: string, at: string): string {
  return `update delivery_hours d set sent = d.sent + ${texts}
     where d.shard = $1 and d.account_id = accounts[1] and d.mode = modes[1] and d.hour = ${hourOf(at)}
       and d.number = senders[1] and d.carrier = ''`;
}

/** The same where every text of `source` was taken. */
export function countSent(source: string, at: string): string {
  return `${INTO}
     select $1, account_id, mode, ${hourOf(at)}, from_number, coalesce(carrier, ''), count(*), 0, 0, 0
       from ${source} where not from_service
      group by 2, 3, 4, 5, 6
     ${ADDING}`;
}

/**
 * Counts final receipts in the hour their texts were sent. `source` has account_id, mode, sent_at,
 * from_number, carrier, from_service, and status, which tells what came.
 */
export function countReceipts(source: string): string {
  return `${INTO}
     select $1, account_id, mode, ${hourOf("sent_at")}, from_number, coalesce(carrier, ''), 0,
            count(*) filter (where status = ${word(MESSAGE_MOVES.receipt_delivered.to)}),
            count(*) filter (where status = ${word(MESSAGE_MOVES.receipt_failed.to)}), 0
       from ${source} where not from_service
      group by 2, 3, 4, 5, 6
     ${ADDING}`;
}
