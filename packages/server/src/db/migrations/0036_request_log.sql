-- What programs asked of the API, for whoever writes them: shown in the console for seven days. Nothing
-- depends on it, so it is unlogged: its rows cost no write-ahead log, and are gone after a crash.
create unlogged table request_log (
  shard integer not null,
  -- The request's own id, behind `req_`.
  id uuid not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  key_id uuid not null,
  method text not null,
  -- Without the query: what is searched for belongs to somebody.
  path text not null,
  status smallint not null,
  -- Of a refusal.
  code text,
  duration_ms real not null,
  is_replayed boolean not null,
  primary key (shard, account_id, mode, id)
);
create index request_log_by_age on request_log (shard, id);
