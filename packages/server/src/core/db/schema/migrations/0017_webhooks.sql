-- Where an account's events go. `slot` makes the database itself refuse a sixth endpoint, however
-- many are created at once; slot 0 is none of the five: it stands for the callbacks of another provider's
-- door, whose addresses come with the texts and numbers. The secret is encrypted. No `events`: all of them.
create table webhook_endpoints (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  slot integer not null check (slot between 0 and 5),
  url text not null,
  events text[] check (cardinality(events) > 0),
  active boolean not null,
  description text,
  secret bytea not null,
  created_at timestamptz not null,
  primary key (shard, account_id, id),
  unique (shard, account_id, slot)
);

-- One event on its way to one endpoint, written in the event's own transaction. A row is here only
-- while attempts are to come: one that was delivered is deleted, one that failed for good moves to
-- webhook_undelivered. `attempt` is the number of the next one.
--
-- `place` keeps endpoints out of each other's way. Open jobs are claimed in the order they fall
-- due. Those of an endpoint that is busy move to its backlog and are claimed as it gets room; those
-- of a paused one are held until it is active again. Neither is walked over by anybody else.
create table webhook_jobs (
  shard integer not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  attempt integer not null default 1 check (attempt between 1 and 6),
  due_at timestamptz not null,
  place text not null default 'open' check (place in ('open', 'backlog', 'held')),
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz,
  primary key (shard, event_id, endpoint_id),
  check ((leased_by is null) = (lease_until is null) and (leased_by is null) = (lease_epoch is null))
)
-- Rows are short-lived and changed in place: leave room for that, and clean up early.
with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index webhook_jobs_open on webhook_jobs (shard, due_at) where place = 'open';
create index webhook_jobs_backlog on webhook_jobs (shard, endpoint_id, due_at) where place = 'backlog';
create index webhook_jobs_held on webhook_jobs (shard, endpoint_id, event_id) where place = 'held';

-- What all six attempts could not deliver, until a replay does.
create table webhook_undelivered (
  shard integer not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  attempts integer not null,
  last_status_code integer,
  last_attempt_at timestamptz not null,
  primary key (shard, event_id, endpoint_id)
) partition by range (event_id);
create table webhook_undelivered_default partition of webhook_undelivered default;
create index webhook_undelivered_by_account
  on webhook_undelivered (shard, account_id, event_id desc, endpoint_id desc);

-- Every attempt that was made: first tries, retries, tests and replays. `message_id` is set where
-- the event tells of a message, for the message's timeline.
create table webhook_deliveries (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  message_id uuid,
  attempt integer not null,
  ok boolean not null,
  status_code integer,
  error text check (error in ('timeout', 'unreachable')),
  latency_ms integer not null,
  response_body text,
  replay boolean not null,
  created_at timestamptz not null,
  primary key (shard, account_id, id),
  check (not ok or (status_code between 200 and 299 and error is null))
) partition by range (id);
create table webhook_deliveries_default partition of webhook_deliveries default;
create index webhook_deliveries_by_endpoint
  on webhook_deliveries (shard, account_id, endpoint_id, id);
create index webhook_deliveries_by_event on webhook_deliveries (shard, event_id, id);
create index webhook_deliveries_by_message on webhook_deliveries (shard, message_id, id)
  where message_id is not null;
create index webhook_deliveries_failed on webhook_deliveries (shard, account_id, endpoint_id, id)
  where not ok;
create index webhook_deliveries_failures on webhook_deliveries (shard, account_id, id) where not ok;

-- How many replays and tests an account may still ask for, shared by all processes. Unlogged, as
-- rate_buckets: after a crash of the database every bucket is full.
create unlogged table webhook_send_buckets (
  shard integer not null,
  account_id uuid not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (shard, account_id)
);
