import { OCCURRENCE_MOVES, SCHEDULE_FAILURES_MAX, SCHEDULE_MOVES } from "@longwave/contract";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard } from "../../core/queue/lane.ts";

/** Statements on recurring schedules and their occurrences. */

const SCHEDULE_FIELDS = [
  ...["shard", "account_id", "id", "status", "mode", "to_number", "sender", "body"],
  ...["rrule", "cron", "time_zone", "start_at", "end_at", "next_at", "last_at", "due_at"],
  ...["failures", "failed_at", "pause_reason", "created_at", "updated_at"],
];
export const SCHEDULE_COLUMNS = SCHEDULE_FIELDS.map((field) => `s.${field}`).join(", ");

export const insertSchedule = statement(
  "insert_schedule",
  `insert into schedules as s (shard, account_id, id, status, mode, to_number, sender, body, rrule, cron,
     time_zone, start_at, end_at, next_at, due_at, created_at, updated_at)
   values ($1, $2, $3, 'active', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $14)
   returning ${SCHEDULE_COLUMNS}`,
);

/** Serialises creations in an account, so that the count stays valid until commit. */
export const lockScheduleCount = statement(
  "lock_schedule_count",
  "select 1 from account_counters where shard = $1 and account_id = $2 for no key update",
);

export const countSchedules = statement(
  "count_schedules",
  `select count(*)::int as schedules from schedules
    where shard = $1 and account_id = $2 and status <> 'ended'`,
);

export const findSchedule = statement(
  "find_schedule",
  `select ${SCHEDULE_COLUMNS} from schedules s where s.shard = $1 and s.account_id = $2 and s.id = $3`,
);

export const lockSchedule = statement(
  "lock_schedule",
  `select ${SCHEDULE_COLUMNS} from schedules s
    where s.shard = $1 and s.account_id = $2 and s.id = $3 for update`,
);

/** Changes message and rule of a schedule; status and failures stay. */
export const changeSchedule = statement(
  "change_schedule",
  `update schedules s
      set to_number = $4, sender = $5, body = $6, rrule = $7, cron = $8, time_zone = $9,
          start_at = $10, end_at = $11, next_at = $12, due_at = $12, updated_at = $13
    where s.shard = $1 and s.account_id = $2 and s.id = $3
   returning ${SCHEDULE_COLUMNS}`,
);

export const deleteSchedule = statement(
  "delete_schedule",
  "delete from schedules where shard = $1 and account_id = $2 and id = $3",
);

export const pauseSchedule = statement(
  "pause_schedule",
  `update schedules s set status = ${sqlLiteral(SCHEDULE_MOVES.pause.to)}, next_at = null, due_at = null,
          updated_at = $4
    where s.shard = $1 and s.account_id = $2 and s.id = $3
      and ${comesFrom("s.status", SCHEDULE_MOVES.pause)}
   returning ${SCHEDULE_COLUMNS}`,
  { moves: [SCHEDULE_MOVES.pause] },
);

export const resumeSchedule = statement(
  "resume_schedule",
  `update schedules s set status = ${sqlLiteral(SCHEDULE_MOVES.resume.to)}, next_at = $5, due_at = $5,
          failures = 0, failed_at = null, pause_reason = null, updated_at = $4
    where s.shard = $1 and s.account_id = $2 and s.id = $3
      and ${comesFrom("s.status", SCHEDULE_MOVES.resume)}
   returning ${SCHEDULE_COLUMNS}`,
  { moves: [SCHEDULE_MOVES.resume] },
);

export const endSchedule = statement(
  "end_schedule",
  `update schedules s set status = ${sqlLiteral(SCHEDULE_MOVES.end.to)}, next_at = null, due_at = null,
          pause_reason = null, updated_at = $4
    where s.shard = $1 and s.account_id = $2 and s.id = $3
      and ${comesFrom("s.status", SCHEDULE_MOVES.end)}
   returning ${SCHEDULE_COLUMNS}`,
  { moves: [SCHEDULE_MOVES.end] },
);

/** Due schedules, earliest first. The row lock orders them against concurrent requests. */
export const claimSchedules = statement(
  "claim_schedules",
  `select ${SCHEDULE_COLUMNS} from schedules s
    where s.shard = $1 and s.due_at <= $2
    order by s.due_at, s.id limit $3 for update skip locked`,
);

/** Active schedules whose next occurrence is before $2. */
export const claimSchedulesBefore = statement(
  "claim_schedules_before",
  `select ${SCHEDULE_COLUMNS} from schedules s
    where s.shard = $1 and s.due_at < $2 and s.next_at < $2 and s.status = 'active'
    order by s.due_at, s.id limit $3 for update`,
);

/** Moves of a processed schedule, beside staying active with its next occurrence. */
const PROCESSED_MOVES = [SCHEDULE_MOVES.self_pause, SCHEDULE_MOVES.end] as const;
export const writeSchedules = statement(
  "write_schedules",
  `update schedules s
      set status = i.status, next_at = i.next_at, due_at = i.next_at,
          last_at = coalesce(i.last_at, s.last_at), failures = i.failures,
          failed_at = i.failed_at, pause_reason = i.pause_reason,
          updated_at = case when i.status = s.status then s.updated_at else $3 end
     from jsonb_to_recordset($2::jsonb) as i (id uuid, status text, next_at timestamptz,
       last_at timestamptz, failures int,
       failed_at timestamptz, pause_reason text)
    where s.shard = $1 and s.id = i.id and s.status = 'active'`,
  { moves: PROCESSED_MOVES },
);

export const insertOccurrences = statement(
  "insert_occurrences",
  `insert into schedule_occurrences (shard, account_id, schedule_id, occurrence_at, status, message_id,
     failure_code, carrier_code, reason, created_at)
   select $1, i.account_id, i.schedule_id, i.occurrence_at, i.status, i.message_id, i.failure_code,
          i.carrier_code, i.reason, $3
     from jsonb_to_recordset($2::jsonb) as i (account_id uuid, schedule_id uuid,
       occurrence_at timestamptz, status text, message_id uuid, failure_code text, carrier_code text,
       reason text)`,
);

/** Locks schedules before the accounts of their messages, in the same order as the schedules lane. */
export const lockSchedules = statement(
  "lock_schedules",
  "select id from schedules where shard = $1 and id = any($2::uuid[]) order by id for update",
);

/**
 * Updates occurrences with the final status of their messages, and counts consecutive failures. At
 * `SCHEDULE_FAILURES_MAX` failures the schedule becomes due at once, to pause itself.
 */
export const followMessages = statement(
  "follow_schedule_messages",
  `with locked as materialized (
     select s.id from schedules s where s.shard = $1 and s.id = any($3::uuid[]) order by s.id for update
   ), moved as (
     update schedule_occurrences o
        set status = case m.status when 'delivered' then ${sqlLiteral(OCCURRENCE_MOVES.text_delivered.to)}
                                   else ${sqlLiteral(OCCURRENCE_MOVES.text_failed.to)} end,
            failure_code = m.failure_code, carrier_code = m.carrier_code
       from messages m
      where m.shard = $1 and m.id = any($2::uuid[]) and m.status in ('delivered', 'failed')
        and o.shard = $1 and o.message_id = m.id and o.status = 'sent'
        and (select count(*) from locked) >= 0
     returning o.schedule_id, o.status, o.occurrence_at
   ), news as (
     select schedule_id, bool_or(status = 'delivered') as has_arrived,
            count(*) filter (where status = 'failed')::int as failed,
            max(occurrence_at) filter (where status = 'failed') as failed_at
       from moved group by schedule_id
   )
   update schedules s
      set failures = case when n.has_arrived then 0 else s.failures + n.failed end,
          failed_at = coalesce(n.failed_at, s.failed_at),
          due_at = case when s.due_at is not null and not n.has_arrived
                         and s.failures + n.failed >= ${SCHEDULE_FAILURES_MAX} then least(s.due_at, $4)
                        else s.due_at end
     from news n
    where s.shard = $1 and s.id = n.schedule_id`,
  { moves: [OCCURRENCE_MOVES.text_delivered, OCCURRENCE_MOVES.text_failed] },
);

export const schedulesDue = dueByShard("schedules_due_by_shard", {
  table: "schedules",
  dueAt: "due_at",
  where: "due_at is not null",
});
