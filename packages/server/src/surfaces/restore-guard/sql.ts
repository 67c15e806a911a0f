import { statement } from "../../core/db/driver/statement.ts";

/** Statements on waiting work of every domain, and on the guard itself. */

export const readGuard = statement(
  "read_hold",
  "select held_since, held_reason, heartbeat_at from database_identity",
);

/** Releases the guard: this database now belongs to the installation, wherever it came from. */
export const releaseGuard = statement(
  "end_hold",
  `update database_identity
      set held_since = null, held_reason = null, home = $1, timeline = $2,
          heartbeat_at = greatest(heartbeat_at + interval '1 millisecond', now())
    where held_since is not null
   returning only_row`,
);

/**
 * Work that would send a message at the time $2, as (kind, id, account, mode, recipient, messages, due time).
 * Messages awaiting their carrier are not sent again, except codes of the service's own whose answer was
 * lost. Expired and discarded work is left out.
 */
const WAITING = `
  select distinct 'message' as kind, m.id, m.account_id, m.mode, m.to_number, 1 as texts,
         m.next_attempt_at as due_at
    from due_attempts d cross join unnest(d.message_ids) as waits (id)
    join messages m on m.shard = $1 and m.id = waits.id
   where d.shard = $1 and m.status = 'queued' and m.next_attempt_at is not null
     and (not m.awaiting_carrier or m.from_service)
     and (m.expires_at is null or m.expires_at > greatest($2::timestamptz, m.next_attempt_at))
  union all
  select 'scheduled_message', id, account_id, mode, to_number, 1, scheduled_at
    from scheduled_messages where shard = $1 and status = 'pending'
     and (valid_for_seconds is null
       or scheduled_at + valid_for_seconds * interval '1 second' > greatest($2::timestamptz, scheduled_at))
  union all
  select 'batch', id, account_id, mode, null, waiting, coalesce(due_at, scheduled_at, created_at)
    from batches where shard = $1 and status in ('scheduled', 'sending') and waiting > 0
     and (expires_at is null
       or expires_at > greatest($2::timestamptz, coalesce(due_at, scheduled_at, created_at)))
  union all
  select 'schedule', id, account_id, mode, to_number, 1, next_at
    from schedules where shard = $1 and status = 'active'
  union all
  select 'automation_run', id, account_id, mode, phone_number, 1, due_at
    from automation_runs where shard = $1 and due_at is not null and message_failure is null`;

export const countWaiting = statement(
  "count_waiting_texts",
  `select kind, sum(texts)::int as texts, coalesce(sum(texts) filter (where due_at <= $2), 0)::int as overdue
     from (${WAITING}) w group by kind`,
  { profile: "scans" },
);

/** A page of waiting work, by due time. */
export const listWaiting = statement(
  "list_waiting_texts",
  `select kind, id, account_id, mode, to_number, texts, due_at from (${WAITING}) w
    where $3::timestamptz is null or (due_at, id) > ($3::timestamptz, $4::uuid)
    order by due_at, id limit $5`,
  { profile: "scans" },
);

/** Expires messages due before $2, at $3. */
export const expireMessages = statement(
  "expire_held_messages",
  `with due as materialized (
     select m.id from due_attempts d cross join unnest(d.message_ids) as waits (id)
       join messages m on m.shard = $1 and m.id = waits.id
      where d.shard = $1 and m.status = 'queued' and m.next_attempt_at < $2
        and (m.expires_at is null or m.expires_at > $3)
      limit $4
   )
   update messages m set expires_at = $3
    where m.shard = $1 and m.id in (select id from due) and m.status = 'queued'
   returning m.id`,
);

export const expireScheduled = statement(
  "expire_held_scheduled",
  `with due as materialized (
     select id from scheduled_messages
      where shard = $1 and status = 'pending' and scheduled_at < $2
        and (valid_for_seconds is null or valid_for_seconds > 0)
      limit $3
   )
   update scheduled_messages s set valid_for_seconds = 0
    where s.shard = $1 and s.id in (select id from due)
   returning s.id`,
);

/** Remaining recipients of the batch fail when they are processed. */
export const expireBatches = statement(
  "expire_held_batches",
  `update batches set expires_at = $3
    where shard = $1 and status in ('scheduled', 'sending') and waiting > 0
      and coalesce(due_at, scheduled_at, created_at) < $2 and (expires_at is null or expires_at > $3)
   returning id`,
);

/** The run ends as if its message had failed. */
export const expireRuns = statement(
  "expire_held_runs",
  `with due as materialized (
     select id from automation_runs
      where shard = $1 and due_at < $2 and message_failure is null
      limit $3
   )
   update automation_runs r set message_failure = 'expired'
    where r.shard = $1 and r.id in (select id from due)
   returning r.id`,
);
