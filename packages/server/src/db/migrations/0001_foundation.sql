-- Directories that every process must see whole. They are small; on a distributed PostgreSQL
-- they are reference tables, so they carry no shard in their keys.

create table installation (
  only_row boolean primary key default true check (only_row),
  shards integer not null check (shards between 1 and 1024),
  root_key_check bytea not null,
  clock_offset_ms bigint not null default 0,
  created_at timestamptz not null
);

create table accounts (
  id uuid primary key,
  shard integer not null,
  name text not null,
  status text not null check (status in ('active', 'suspended')),
  live_access text not null check (live_access in ('none', 'requested', 'granted', 'rejected')),
  rate_limit integer,
  daily_message_quota integer not null,
  phrase_opt_out text not null check (phrase_opt_out in ('opt_out', 'flag')),
  created_at timestamptz not null
);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  mode text not null check (mode in ('test', 'live')),
  name text,
  scopes text[] check (cardinality(scopes) > 0),
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  last4 text,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index api_keys_by_account on api_keys (account_id, id desc);

-- Everything below belongs to an account: `shard` stands first in every key, and every
-- statement names it.

-- The one row of an account that a group of writes locks: money, allowance, quota and the
-- numbering of its events and audit entries. Sequence order is commit order.
create table account_counters (
  shard integer not null,
  account_id uuid not null,
  balance_micros bigint not null default 0,
  reserved_micros bigint not null default 0 check (reserved_micros >= 0),
  spent_month date not null default '1970-01-01',
  spent_micros bigint not null default 0,
  allowance_month date not null default '1970-01-01',
  texts_used integer not null default 0,
  verifications_used integer not null default 0,
  quota_day date not null default '1970-01-01',
  quota_used integer not null default 0,
  event_seq bigint not null default 0,
  audit_seq bigint not null default 0,
  audit_hash bytea not null default '\x',
  primary key (shard, account_id)
);

-- Append-only. One billable fact has one entry: the key is the fact, so the database itself
-- refuses a second debit. `object_id` is the id of the message, verification, credit, …
create table ledger_entries (
  shard integer not null,
  account_id uuid not null,
  object_id uuid not null,
  kind text not null,
  period text not null default '',
  amount_micros bigint not null,
  note text,
  created_at timestamptz not null,
  primary key (shard, object_id, account_id, kind, period)
) partition by range (object_id);
create table ledger_entries_default partition of ledger_entries default;

create table events (
  shard integer not null,
  account_id uuid not null,
  seq bigint not null,
  id uuid not null,
  type text not null,
  customer_id uuid,
  -- json, not jsonb: a webhook's body is byte for byte what GET /events shows.
  data json not null,
  created_at timestamptz not null,
  primary key (shard, account_id, id)
) partition by range (id);
create table events_default partition of events default;
create index events_by_seq on events (shard, account_id, seq);
create index events_by_type on events (shard, account_id, type, id desc);

create table audit_log (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  seq bigint not null,
  action text not null,
  actor_type text not null,
  actor_id text,
  actor_name text,
  target_type text not null,
  target_id text not null,
  changes json not null,
  ip text,
  created_at timestamptz not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (shard, id)
) partition by range (id);
create table audit_log_default partition of audit_log default;
create index audit_log_by_account on audit_log (shard, account_id, id desc);
create index audit_log_by_seq on audit_log (shard, account_id, seq);

create table verified_numbers (
  shard integer not null,
  account_id uuid not null,
  phone_number text not null,
  id uuid not null,
  created_at timestamptz not null,
  primary key (shard, account_id, phone_number)
);

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

-- Token buckets shared by all processes. Unlogged: after a crash of the database every bucket
-- is full, which harms nobody, and no write of it costs an fsync.
create unlogged table rate_buckets (
  shard integer not null,
  account_id uuid not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (shard, account_id)
);

-- Money, events and the audit log are only ever added to; the database itself sees to it. Rows move
-- between partitions as whole rows, in transactions that say so.
create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('longwave.moves_partitions', true) = 'on' then
    return old;
  end if;
  raise exception '% is append-only.', tg_table_name;
end $$;

create trigger ledger_entries_rows_stay before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_stay before truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger events_rows_stay before update or delete on events
  for each row execute function refuse_change();
create trigger events_stay before truncate on events
  for each statement execute function refuse_change();
create trigger audit_log_rows_stay before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_stays before truncate on audit_log
  for each statement execute function refuse_change();
