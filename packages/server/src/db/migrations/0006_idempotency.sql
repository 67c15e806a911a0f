-- The claim of an Idempotency-Key, made in the transaction that does the work. `object_id` points
-- at what it made; `response` is the answer, encrypted where it holds a secret.
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
