-- What is brought over from another provider's account. The credentials are in no row: a run lives in the process
-- that was asked for it, and says here how far it has come. One that has not been heard of for a while has ended.
create table account_imports (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  provider text not null check (provider in ('twilio', 'telnyx')),
  dry_run boolean not null,
  status text not null check (status in ('running', 'complete', 'failed')),
  phase text not null check (phase in ('reading', 'writing')),
  done integer not null,
  total integer,
  -- Numbers, pools and webhooks, as they are shown.
  plan json not null,
  error_code text check (error_code in ('provider_refused', 'provider_limited', 'provider_unavailable',
    'provider_answer', 'interrupted', 'internal')),
  error_message text,
  heard_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (shard, id),
  check ((status = 'running') = (ended_at is null)),
  check ((status = 'failed') = (error_code is not null)),
  check ((error_code is null) = (error_message is null))
);
-- One at a time: two would ask the provider twice and make nothing more.
create unique index account_imports_one_running on account_imports (shard, account_id) where status = 'running';
create index account_imports_by_account on account_imports (shard, account_id, id desc);
create index account_imports_heard on account_imports (shard, heard_at) where status = 'running';

-- Which pool was made of which messaging service: a second run makes no second pool, also where the first one was
-- renamed or deleted since.
create table imported_pools (
  shard integer not null,
  account_id uuid not null,
  provider text not null check (provider in ('twilio', 'telnyx')),
  foreign_id text not null,
  pool_id uuid not null,
  primary key (shard, account_id, provider, foreign_id)
);
