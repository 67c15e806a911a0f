-- Background jobs with a due time. Due work of high rate lives in tables of its own domain. Leases
-- and heartbeats use the database's clock, due times the service's clock.

-- One row per running worker. A worker that stops deletes its row; a killed worker leaves a row
-- with an old `seen_at`.
create table workers (
  id uuid primary key,
  host text not null,
  pid integer not null,
  roles text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- Completed jobs are deleted. A job that was given up stays with its reason until the sweep.
create table jobs (
  shard integer not null,
  id uuid not null,
  account_id uuid,
  task text not null,
  payload json not null,
  run_at timestamptz not null,
  -- Number of runs that failed and asked for a retry.
  attempts integer not null default 0,
  -- Number of claims whose worker vanished. A job that kills its workers is quarantined.
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

-- Periodic tasks of the whole installation: each runs once per period across all processes.
create table periodic_tasks (
  name text primary key,
  due_at timestamptz not null,
  last_run_at timestamptz,
  last_error text,
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz
);
