-- Imports from another provider's account. Credentials are never stored: an import runs in the
-- process that received the request, and reports its progress here. An import without recent
-- progress has ended.
create table account_imports (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  provider text not null check (provider in ('twilio', 'telnyx')),
  dry_run boolean not null,
  status text not null check (status in ('running', 'complete', 'failed', 'canceled')),
  phase text not null check (phase in ('reading', 'writing')),
  done integer not null,
  total integer,
  -- Numbers, pools and webhooks, as the API shows them.
  plan json not null,
  error_code text check (error_code in ('provider_refused', 'provider_limited', 'provider_unavailable',
    'provider_answer', 'interrupted', 'internal')),
  error_message text,
  heartbeat_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (shard, id),
  check ((status = 'running') = (ended_at is null)),
  check ((status = 'failed') = (error_code is not null)),
  check ((error_code is null) = (error_message is null))
);
-- One import at a time: a second one would query the provider again and create nothing.
create unique index account_imports_one_running on account_imports (shard, account_id) where status = 'running';
create index account_imports_by_account on account_imports (shard, account_id, id desc);
create index account_imports_by_heartbeat on account_imports (shard, heartbeat_at) where status = 'running';

-- Pools created from messaging services: a second import creates no second pool, even if the first
-- was renamed or deleted.
create table imported_pools (
  shard integer not null,
  account_id uuid not null,
  provider text not null check (provider in ('twilio', 'telnyx')),
  foreign_id text not null,
  pool_id uuid not null,
  primary key (shard, account_id, provider, foreign_id)
);

-- Status callback URL of a message sent through the Twilio-compatible API. The id is the message's,
-- or that of the scheduled message it came from. Written before the message, so that no event of
-- the message misses it.
create table twilio_callbacks (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  url text not null,
  primary key (shard, id)
);

-- Messages that TwiML documents sent: the Twilio-compatible API shows them as `outbound-reply`. Each
-- row is written before its message; a reply that is then refused leaves its row behind.
create table twilio_replies (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  primary key (shard, account_id, id)
) partition by range (id);
create table twilio_replies_default partition of twilio_replies default;
