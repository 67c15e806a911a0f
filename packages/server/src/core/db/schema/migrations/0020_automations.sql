-- The trigger of new runs, copied from the current version.
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

-- All versions: a run keeps the version it started with, whatever changes later.
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

-- One contact's way through an automation. A sleeping run costs nothing: no index of due work
-- contains it until its time is near. One transaction executes the next steps, logs them and sets
-- the next due time, so no step runs twice or is lost.
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
  -- Run cursor: path of the next step, such as 2.then.0; null at the end.
  position text,
  properties json not null,
  -- Log of executed steps.
  log jsonb not null default '[]',
  -- Time of the next step; null if the run has ended, or is paused with its automation.
  due_at timestamptz,
  paused boolean not null default false,
  -- While the run waits: deadline, awaited event, and whether the event arrived.
  wait_until timestamptz,
  waits_for text,
  event_arrived boolean not null default false,
  -- A message of this run that failed.
  message_failure text,
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
-- Decides, under concurrency, if a contact may start another run.
create unique index automation_runs_one_at_a_time on automation_runs (shard, automation_id, contact_id)
  where reentry = 'one_at_a_time' and status = 'running' and not is_test;
create unique index automation_runs_once on automation_runs (shard, automation_id, contact_id)
  where reentry = 'once' and not is_test;

-- Resume requests: runs to execute now, because the contact opted out or the automation was resumed
-- or deleted. The transaction of that change writes the row; the runs lane processes it in steps.
create table automation_resume_requests (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  phone_number text,
  automation_id uuid,
  due_at timestamptz not null,
  primary key (shard, id),
  check ((phone_number is null) <> (automation_id is null))
);
create index automation_resume_requests_due on automation_resume_requests (shard, due_at, id);
