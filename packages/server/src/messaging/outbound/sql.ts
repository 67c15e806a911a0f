import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard } from "../../core/queue/lane.ts";

/** Carrier traffic belongs to no account until it is matched, so the inbox is on the first shard. */
export const INBOX_SHARD = 0;

/** Carriers reuse references. Selects the newest message of shard `s` that reference `w` names. */
export const NEWEST_NAMED = `select c.message_id, c.created_at from carrier_references c
  where c.shard = s.shard and c.carrier = w.carrier and c.reference = w.reference
  order by c.created_at desc limit 1`;

/** Locks rows of due attempts. */
export const claimDueAttempts = statement(
  "claim_due_attempts",
  `select d.id, d.message_ids from due_attempts d
    where d.shard = $1 and d.due_at <= $2 order by d.due_at limit $3 for update skip locked`,
);

/** Reads the same rows without locking them. */
export const findDueAttempts = statement(
  "find_due_attempts",
  `select d.id, d.message_ids from due_attempts d
    where d.shard = $1 and d.due_at <= $2 order by d.due_at limit $3`,
);

/**
 * Replaces a row of due attempts ($3) by one of its quarantined messages ($4), due after as long as they
 * are overdue, within $5 to $6 seconds. Only the process that still finds the row replaces it.
 */
export const quarantineAttempts = statement(
  "quarantine_attempts",
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

export const deleteDueAttempts = statement(
  "delete_due_attempts",
  "delete from due_attempts d where d.shard = $1 and d.due_at <= $2 and d.id = any($3::uuid[])",
);

export const attemptsDue = dueByShard("attempts_due_by_shard", {
  table: "due_attempts",
  dueAt: "due_at",
  where: "true",
});

/** Simulated receipts that are due. */
export const findDueReceipts = statement(
  "find_due_receipts",
  `select d.id, d.account_id, d.events is not null as is_plain,
          case when d.events is null then d.message_ids end as message_ids,
          cardinality(d.message_ids) as message_count
     from due_receipts d where d.shard = $1 and d.due_at <= $2 order by d.due_at limit $3`,
  { profile: "queues" },
);

export const deleteDueReceipts = statement(
  "delete_due_receipts",
  "delete from due_receipts d where d.shard = $1 and d.due_at <= $2 and d.id = any($3::uuid[])",
);

export const receiptsDue = dueByShard("receipts_due_by_shard", {
  table: "due_receipts",
  dueAt: "due_at",
  where: "true",
});
