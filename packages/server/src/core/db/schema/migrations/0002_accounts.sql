-- Accounts and their keys are directories that every process must see whole. They are small; on a
-- distributed PostgreSQL they are reference tables, so they carry no shard in their keys.

create table accounts (
  id uuid primary key,
  shard integer not null,
  name text not null,
  status text not null check (status in ('active', 'suspended')),
  live_access text not null check (live_access in ('none', 'requested', 'granted', 'rejected')),
  rate_limit integer,
  daily_message_quota integer not null,
  phrase_opt_out text not null check (phrase_opt_out in ('opt_out', 'flag')),
  smart_encoding boolean not null default false,
  -- When nobody is texted: the minute of the day they begin, times 1,440, and the minute they end.
  quiet_hours integer,
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
  -- To the minute, and written at most once a minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_by_account on api_keys (account_id, id desc);

-- Everything else belongs to an account: `shard` stands first in every key, and every statement
-- names it.

-- The one row of an account that a group of writes locks: money, allowance, quota and the
-- numbering of its events and audit entries. Sequence order is commit order.
create table account_counters (
  shard integer not null,
  account_id uuid not null,
  balance_micros bigint not null default 0,
  reserved_micros bigint not null default 0 check (reserved_micros >= 0),
  spent_month date not null default '1970-01-01',
  spent_micros bigint not null default 0,
  -- The account's own limit on what a month may cost, and the spending at which it is told next.
  spend_limit_micros bigint check (spend_limit_micros >= 0),
  next_alert_micros bigint,
  allowance_month date not null default '1970-01-01',
  texts_used integer not null default 0,
  verifications_used integer not null default 0,
  quota_day date not null default '1970-01-01',
  quota_used integer not null default 0,
  event_seq bigint not null default 0,
  audit_seq bigint not null default 0,
  audit_hash bytea not null default '\x',
  -- The head of the account's chain of consent. Every writer of consent locks this row first, and so
  -- does a send: after an opt-out is committed, no text to that person is handed over.
  consent_seq bigint not null default 0,
  consent_hash bytea not null default decode(repeat('00', 32), 'hex'),
  primary key (shard, account_id)
);

create table verified_numbers (
  shard integer not null,
  account_id uuid not null,
  phone_number text not null,
  id uuid not null,
  created_at timestamptz not null,
  -- Null while the code has not come back.
  verified_at timestamptz,
  -- What the code is derived from; how often it was sent and guessed, and until when it holds.
  code_id uuid,
  code_expires_at timestamptz,
  sends integer not null default 0,
  tries integer not null default 0,
  primary key (shard, account_id, phone_number)
);
create index verified_numbers_by_code on verified_numbers (shard, code_id) where code_id is not null;

-- Token buckets shared by all processes. Unlogged: after a crash of the database every bucket
-- is full, which harms nobody, and no write of it costs an fsync.
create unlogged table rate_buckets (
  shard integer not null,
  account_id uuid not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (shard, account_id)
);
