-- Everything that happens later is a row with a due time. High-rate work waits in its own
-- domain's table; the rest waits here. Leases and heartbeats are judged by the database's own
-- clock, due times by the service's.

-- One row per running worker. A process that stops takes its row away; one that was killed
-- leaves it, and `seen_at` tells.
create table workers (
  id uuid primary key,
  host text not null,
  pid integer not null,
  roles text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- A job that is done is deleted. One that was given up stays with its reason until it is swept.
create table jobs (
  shard integer not null,
  id uuid not null,
  account_id uuid,
  task text not null,
  payload json not null,
  run_at timestamptz not null,
  -- Runs that ended and asked to be tried again.
  attempts integer not null default 0,
  -- Claims whose worker vanished. A job that kills its workers is set aside.
  crash_claims integer not null default 0,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null,
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz,
  primary key (shard, id),
  check ((leased_by is null) = (lease_until is null) and (leased_by is null) = (lease_epoch is null))
);
create index jobs_due on jobs (shard, run_at, id) where failed_at is null;
create index jobs_failed on jobs (shard, failed_at) where failed_at is not null;

-- Housekeeping of the whole installation, each once per period over all processes.
create table periodic_tasks (
  name text primary key,
  due_at timestamptz not null,
  last_run_at timestamptz,
  last_error text,
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz
);
