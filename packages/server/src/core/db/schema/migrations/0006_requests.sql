-- The claim of an Idempotency-Key, committed in the transaction that does the work. `object_id` is
-- the created object; `response` is the response, encrypted if it contains a secret.
create table idempotency_keys (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  object_id uuid,
  status integer,
  response bytea,
  encrypted boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (shard, account_id, mode, key_hash)
);
create index idempotency_keys_by_expiry on idempotency_keys (shard, expires_at);

-- API requests, shown to developers in the console for seven days. Nothing depends on them, so the
-- table is unlogged: rows cost no WAL and are lost in a crash. Autovacuum and autoanalyze run
-- rarely: every statement follows the key, and frequent runs cost more than the inserts.
create unlogged table request_log (
  shard integer not null,
  -- The request's own id, behind `req_`.
  id uuid not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  key_id uuid not null,
  method text not null,
  -- Without the query string: search terms may be personal data.
  path text not null,
  status smallint not null,
  -- Error code, set for refused requests.
  code text,
  duration_ms real not null,
  is_replayed boolean not null,
  -- Field and sentence of a refused request's error, and, where the installation keeps them, the
  -- bodies of request and answer, redacted and cut at 2 KB.
  param text,
  message text,
  body text,
  answer text,
  primary key (shard, account_id, mode, id)
) with (
  autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_insert_threshold = -1
);
