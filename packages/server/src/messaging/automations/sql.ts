import { AUTOMATION_MOVES, AUTOMATION_RUN_MOVES } from "@longwave/contract";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard } from "../../core/queue/lane.ts";

/** Statements on automations and their runs. */

export const AUTOMATION_COLUMNS = `a.shard, a.account_id, a.id, a.name, a.status, a.mode, a.version,
  v.trigger, v.steps, v.reentry, a.created_at, a.updated_at`;
export const AUTOMATION_FROM = `automations a
  join automation_versions v on v.shard = a.shard and v.automation_id = a.id and v.version = a.version`;

export const countAutomations = statement(
  "count_automations",
  "select count(*)::int as automations from automations where shard = $1 and account_id = $2",
);

export const insertAutomation = statement(
  "insert_automation",
  `insert into automations (shard, account_id, id, name, status, mode, trigger_event, version, created_at, updated_at)
   values ($1, $2, $3, $4, 'active', $5, $6, 1, $7, $7)`,
);

export const insertVersion = statement(
  "insert_automation_version",
  `insert into automation_versions (shard, account_id, automation_id, version, trigger, steps, reentry, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export const findAutomation = statement(
  "find_automation",
  `select ${AUTOMATION_COLUMNS} from ${AUTOMATION_FROM}
    where a.shard = $1 and a.account_id = $2 and a.id = $3`,
);

export const lockAutomation = statement(
  "lock_automation",
  `select ${AUTOMATION_COLUMNS} from ${AUTOMATION_FROM}
    where a.shard = $1 and a.account_id = $2 and a.id = $3 for update of a`,
);

export const changeAutomation = statement(
  "change_automation",
  `update automations set name = $4, trigger_event = $5, version = $6, updated_at = $7
    where shard = $1 and account_id = $2 and id = $3`,
);

export const pauseAutomation = statement(
  "pause_automation",
  `update automations set status = ${sqlLiteral(AUTOMATION_MOVES.pause.to)}
    where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", AUTOMATION_MOVES.pause)}`,
  { moves: [AUTOMATION_MOVES.pause] },
);

export const resumeAutomation = statement(
  "resume_automation",
  `update automations set status = ${sqlLiteral(AUTOMATION_MOVES.resume.to)}
    where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", AUTOMATION_MOVES.resume)}`,
  { moves: [AUTOMATION_MOVES.resume] },
);

export const deleteAutomation = statement(
  "delete_automation",
  "delete from automations where shard = $1 and account_id = $2 and id = $3",
);

/** Active automations that an event triggers: few rows, read at most once a second for each event. */
export const readTriggered = statement(
  "read_triggered_automations",
  `select ${AUTOMATION_COLUMNS} from ${AUTOMATION_FROM}
    where a.shard = $1 and a.account_id = $2 and a.status = 'active' and a.trigger_event = $3
    order by a.id`,
);

export const readAutomationStates = statement(
  "read_automation_states",
  "select id, status from automations where shard = $1 and id = any($2::uuid[])",
);

export const readVersion = statement(
  "read_automation_version",
  `select steps from automation_versions where shard = $1 and automation_id = $2 and version = $3`,
);

export const RUN_COLUMNS = `r.shard, r.account_id, r.id, r.automation_id, r.version, r.contact_id, r.phone_number,
  r.mode, r.reentry, r.is_test, r.status, r.reason, r.position, r.properties, r.log, r.due_at, r.wait_until,
  r.waits_for, r.event_arrived, r.message_failure, r.started_at, r.ended_at`;

export const findRun = statement(
  "find_automation_run",
  `select ${RUN_COLUMNS} from automation_runs r where r.shard = $1 and r.account_id = $2 and r.id = $3`,
);

/**
 * Starts runs and returns the ids of the started ones. Unique indexes skip contacts that may not have another
 * run.
 */
export const startRuns = statement(
  "start_automation_runs",
  `insert into automation_runs as r (shard, account_id, id, automation_id, version, contact_id, phone_number, mode,
     reentry, is_test, status, position, properties, log, due_at, wait_until, waits_for, started_at)
   select $1, i.account_id, i.id, i.automation_id, i.version, i.contact_id, i.phone_number, i.mode, i.reentry,
          coalesce(i.is_test, false), 'running', i.position, i.properties, coalesce(i.log, '[]'), i.due_at,
          i.wait_until, i.waits_for, $3
     from json_to_recordset($2::json) as i (account_id uuid, id uuid, automation_id uuid, version int,
       contact_id uuid, phone_number text, mode text, reentry text, is_test bool, position text, properties json,
       log jsonb, due_at timestamptz, wait_until timestamptz, waits_for text)
   on conflict do nothing
   returning r.id`,
);

/** Resumes runs that wait for a tracked event and merges its properties into theirs. */
export const recordTrackedEvents = statement(
  "record_tracked_events",
  `update automation_runs r
      set due_at = case when r.paused then null else $3::timestamptz end, event_arrived = true, waits_for = null,
          properties = (r.properties::jsonb || i.properties::jsonb)::json
     from json_to_recordset($2::json) as i (account_id uuid, contact_id uuid, mode text, event text, properties json)
    where r.shard = $1 and r.account_id = i.account_id and r.contact_id = i.contact_id
      and r.waits_for = i.event and r.mode = i.mode`,
);

/** Due runs, earliest first. */
export const claimRuns = statement(
  "claim_automation_runs",
  `select ${RUN_COLUMNS} from automation_runs r
    where r.shard = $1 and r.due_at <= $2
    order by r.due_at, r.id limit $3 for update skip locked`,
);

const RUN_ENDS = [AUTOMATION_RUN_MOVES.complete, AUTOMATION_RUN_MOVES.fail] as const;
/** Stores the changes of executed runs. */
export const writeRuns = statement(
  "write_automation_runs",
  `update automation_runs r
      set status = i.status, reason = i.reason, position = i.position, log = r.log || i.log, due_at = i.due_at,
          paused = coalesce(i.paused, false), wait_until = i.wait_until, waits_for = i.waits_for,
          event_arrived = coalesce(i.event_arrived, false),
          ended_at = case when i.status = 'running' then null else $3::timestamptz end
     from jsonb_to_recordset($2::jsonb) as i (id uuid, status text, reason text, position text, log jsonb,
       due_at timestamptz, paused bool, event_arrived bool, wait_until timestamptz, waits_for text)
    where r.shard = $1 and r.id = i.id and r.status = 'running'`,
  { moves: RUN_ENDS },
);

/** Locks runs before the accounts of their messages, in the same order as the runs lane. */
export const lockRuns = statement(
  "lock_automation_runs",
  "select id from automation_runs where shard = $1 and id = any($2::uuid[]) order by id for update",
);

/** Makes runs due whose message failed; the lane then ends them. */
export const failByMessages = statement(
  "fail_runs_by_messages",
  `with locked as materialized (
     select r.id from automation_runs r where r.shard = $1 and r.id = any($3::uuid[]) order by r.id for update
   )
   update automation_runs r
      set message_failure = m.failure_code, due_at = case when r.paused then null else $4::timestamptz end
     from messages m
    where m.shard = $1 and m.id = any($2::uuid[]) and m.status = 'failed'
      and r.shard = $1 and r.id = m.run_id and r.status = 'running'
      and (select count(*) from locked) >= 0`,
);

/** Phones in $3 that have a run in progress. */
export const findRunning = statement(
  "find_running_phones",
  `select distinct phone_number from automation_runs
    where shard = $1 and account_id = $2 and phone_number = any($3::text[]) and mode = $4 and status = 'running'`,
);

export const insertResumeRequests = statement(
  "insert_resume_requests",
  `insert into automation_resume_requests (shard, account_id, id, phone_number, automation_id, due_at)
   select $1, $2, i.id, i.phone_number, i.automation_id, $4
     from jsonb_to_recordset($3::jsonb) as i (id uuid, phone_number text, automation_id uuid)`,
);

export const claimResumeRequests = statement(
  "claim_resume_requests",
  `select account_id, id, phone_number, automation_id from automation_resume_requests
    where shard = $1 and due_at <= $2 order by due_at, id limit $3 for update skip locked`,
);

export const deleteResumeRequests = statement(
  "delete_resume_requests",
  "delete from automation_resume_requests where shard = $1 and id = any($2::uuid[])",
);

/** Makes the unpaused runs of phones due. */
export const resumeByPhones = statement(
  "resume_runs_by_phones",
  `update automation_runs r set due_at = $4
     from unnest($2::uuid[], $3::text[]) as w (account_id, phone_number)
    where r.shard = $1 and r.account_id = w.account_id and r.phone_number = w.phone_number
      and r.status = 'running' and not r.paused`,
);

/** Makes up to $4 sleeping or paused runs of an automation due. */
export const resumeByAutomation = statement(
  "resume_runs_by_automation",
  `update automation_runs r set due_at = $3, paused = false
    where r.shard = $1 and r.id = any(array(
      select o.id from automation_runs o
       where o.shard = $1 and o.automation_id = $2 and o.status = 'running' and (o.paused or o.due_at > $3)
       limit $4 for update skip locked))
   returning r.id`,
);

export const runsDue = dueByShard("automation_runs_due_by_shard", {
  table: "automation_runs",
  dueAt: "due_at",
  where: "due_at is not null",
});

export const resumeRequestsDue = dueByShard("resume_requests_due_by_shard", {
  table: "automation_resume_requests",
  dueAt: "due_at",
  where: "true",
});
