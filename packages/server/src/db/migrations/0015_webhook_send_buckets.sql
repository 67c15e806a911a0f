-- How many replays and tests an account may still ask for, shared by all processes. Unlogged, as
-- rate_buckets: after a crash of the database every bucket is full.
create unlogged table webhook_send_buckets (
  shard integer not null,
  account_id uuid not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (shard, account_id)
);
