-- Webhook endpoints. The key on `slot` (1 to 5) makes a sixth endpoint impossible under
-- concurrency. Slot 0 is the internal endpoint for callbacks of the Twilio-compatible API, whose
-- URLs come with messages and numbers. The secret is encrypted. No `events`: all event types.
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
  -- Modes whose events the endpoint receives.
  modes text[] not null default '{test,live}' check (cardinality(modes) > 0 and modes <@ '{test,live}'),
  primary key (shard, account_id, id),
  unique (shard, account_id, slot)
);

-- Pending deliveries: one event for one endpoint, written in the event's transaction. A delivered
-- row is deleted; a row that failed permanently moves to webhook_undelivered. `attempt` is the
-- number of the next attempt.
--
-- The dispatcher claims per endpoint, skips endpoints with enough prefetched, and never reads past
-- ready jobs. So every ready job is due: retries stay `delayed` until their time, jobs of a paused
-- endpoint `paused`.
create table webhook_jobs (
  shard integer not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  attempt integer not null default 1 check (attempt between 1 and 6),
  due_at timestamptz not null,
  queue_state text not null default 'ready' check (queue_state in ('ready', 'delayed', 'paused')),
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz,
  primary key (shard, event_id, endpoint_id),
  check ((leased_by is null) = (lease_until is null) and (leased_by is null) = (lease_epoch is null))
)
-- Rows are short-lived and updated in place: leave room on the page, vacuum early.
with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index webhook_jobs_ready on webhook_jobs (shard, endpoint_id, due_at) where queue_state = 'ready';
create index webhook_jobs_delayed on webhook_jobs (shard, due_at) where queue_state = 'delayed';
create index webhook_jobs_paused on webhook_jobs (shard, endpoint_id, event_id) where queue_state = 'paused';

-- Deliveries whose six attempts all failed, until a replay.
create table webhook_undelivered (
  shard integer not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  attempts integer not null,
  last_status_code integer,
  last_attempt_at timestamptz not null,
  mode text not null,
  primary key (shard, event_id, endpoint_id)
) partition by range (event_id);
create table webhook_undelivered_default partition of webhook_undelivered default;
create index webhook_undelivered_by_account
  on webhook_undelivered (shard, account_id, mode, event_id desc, endpoint_id desc);

-- Every attempt made: first attempts, retries, tests and replays. `message_id` is set if the event
-- concerns a message, for that message's timeline.
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
  error text check (error in ('timeout', 'refused', 'dns', 'tls', 'blocked', 'unreachable')),
  latency_ms integer not null,
  response_body text,
  replay boolean not null,
  created_at timestamptz not null,
  mode text not null,
  primary key (shard, account_id, mode, id),
  check (not ok or (status_code between 200 and 299 and error is null))
) partition by range (id);
create table webhook_deliveries_default partition of webhook_deliveries default;
create index webhook_deliveries_by_endpoint
  on webhook_deliveries (shard, account_id, mode, endpoint_id, id);
create index webhook_deliveries_by_event on webhook_deliveries (shard, event_id, id);
create index webhook_deliveries_by_message on webhook_deliveries (shard, message_id, id)
  where message_id is not null;
create index webhook_deliveries_failed on webhook_deliveries (shard, account_id, mode, endpoint_id, id)
  where not ok;
create index webhook_deliveries_failures on webhook_deliveries (shard, account_id, mode, id) where not ok;

-- Token buckets of replays and tests per account, shared by all processes. Unlogged, like
-- rate_buckets: after a database crash every bucket is full.
create unlogged table webhook_send_buckets (
  shard integer not null,
  account_id uuid not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (shard, account_id)
);
