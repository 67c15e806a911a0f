-- A text that recurs by a rule. `due_at` is when the lane of schedules has something to do here: at the
-- next occurrence, or at once when texts failed so often that the schedule pauses itself.
create table schedules (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  status text not null check (status in ('active', 'paused', 'ended')),
  mode text not null check (mode in ('test', 'live')),
  to_number text not null,
  sender text not null,
  body text not null,
  rrule text,
  cron text,
  time_zone text not null,
  start_at timestamptz,
  end_at timestamptz,
  next_at timestamptz,
  -- The latest occurrence that was sent or skipped: whatever a clock says, none comes before it again.
  last_at timestamptz,
  due_at timestamptz,
  -- Texts in a row that failed, by their final status.
  failures integer not null default 0,
  -- The occurrence whose text failed last.
  failed_at timestamptz,
  pause_reason text
    check (pause_reason in ('recipient_opted_out', 'repeated_failures', 'sender_unavailable')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, id),
  check ((rrule is null) <> (cron is null)),
  check ((status = 'active') = (next_at is not null)),
  check ((due_at is not null) = (next_at is not null)),
  check (pause_reason is null or status = 'paused')
);
create index schedules_by_account on schedules (shard, account_id, id desc);
create index schedules_due on schedules (shard, due_at, id) where due_at is not null;

-- What became of each occurrence. One of a kind: a schedule never sends an occurrence twice.
create table schedule_occurrences (
  shard integer not null,
  account_id uuid not null,
  schedule_id uuid not null,
  occurrence_at timestamptz not null,
  status text not null check (status in ('sent', 'delivered', 'failed', 'skipped')),
  message_id uuid,
  failure_code text,
  carrier_code text,
  reason text check (reason in ('recipient_opted_out', 'missed')),
  created_at timestamptz not null,
  primary key (shard, schedule_id, occurrence_at),
  check (status not in ('sent', 'delivered') or message_id is not null),
  check (status <> 'failed' or failure_code is not null),
  check ((status = 'skipped') = (reason is not null))
);
create index schedule_occurrences_by_age on schedule_occurrences (shard, created_at);
create index schedule_occurrences_open on schedule_occurrences (shard, message_id) where status = 'sent';

-- What starts runs, as it is for runs that start now.
create table automations (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  status text not null check (status in ('active', 'paused')),
  mode text not null check (mode in ('test', 'live')),
  trigger_event text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, id)
);
create index automations_by_account on automations (shard, account_id, id desc);

-- Every version there was: a run goes on by the one it began with, whatever is changed later.
create table automation_versions (
  shard integer not null,
  account_id uuid not null,
  automation_id uuid not null,
  version integer not null,
  trigger json not null,
  steps json not null,
  reentry text not null check (reentry in ('any', 'one_at_a_time', 'once')),
  created_at timestamptz not null,
  primary key (shard, automation_id, version)
);

-- One contact on the way through an automation. A run that sleeps is a row that no index of due work
-- holds before its time comes near: it costs nothing. Its turn does what is next, writes down what it
-- did and when the next turn is, in one transaction: so no step acts twice and none is forgotten.
create table automation_runs (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  automation_id uuid not null,
  version integer not null,
  -- Null for a test run to a phone that is no contact.
  contact_id uuid,
  phone_number text not null,
  mode text not null check (mode in ('test', 'live')),
  reentry text not null check (reentry in ('any', 'one_at_a_time', 'once')),
  is_test boolean not null default false,
  status text not null check (status in ('running', 'completed', 'failed')),
  reason text,
  -- The path of the step that is next, such as 2.then.0; null at the end.
  position text,
  properties json not null,
  -- What it has done so far.
  log jsonb not null default '[]',
  -- When its next turn is; null when it has ended, or is held with its automation.
  due_at timestamptz,
  held boolean not null default false,
  -- While it waits: until when, for which event, and whether that was tracked.
  wait_until timestamptz,
  waits_for text,
  heard boolean not null default false,
  -- A text of its own that failed.
  text_failure text,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (shard, id),
  check ((status = 'running') = (ended_at is null)),
  check (status = 'running' or due_at is null),
  check (status <> 'failed' or reason is not null)
);
create index automation_runs_due on automation_runs (shard, due_at, id) where due_at is not null;
create index automation_runs_by_automation on automation_runs (shard, automation_id, id desc);
create index automation_runs_open on automation_runs (shard, automation_id) where status = 'running';
create index automation_runs_by_phone on automation_runs (shard, account_id, phone_number) where status = 'running';
create index automation_runs_waiting on automation_runs (shard, account_id, contact_id, waits_for)
  where waits_for is not null;
create index automation_runs_by_age on automation_runs (shard, ended_at) where ended_at is not null;
-- Who may start another run is decided by these, whoever asks at the same moment.
create unique index automation_runs_one_at_a_time on automation_runs (shard, automation_id, contact_id)
  where reentry = 'one_at_a_time' and status = 'running' and not is_test;
create unique index automation_runs_once on automation_runs (shard, automation_id, contact_id)
  where reentry = 'once' and not is_test;

-- Runs that are to have a turn now: of somebody who has opted out, or of an automation that was
-- resumed or deleted. Written by whoever changes that; the lane of runs does the rest, bit by bit.
create table automation_wakes (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  phone_number text,
  automation_id uuid,
  due_at timestamptz not null,
  primary key (shard, id),
  check ((phone_number is null) <> (automation_id is null))
);
create index automation_wakes_due on automation_wakes (shard, due_at, id);
