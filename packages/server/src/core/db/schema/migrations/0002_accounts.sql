-- Accounts and their keys are directories that every process must see whole. They are small; on a
-- distributed PostgreSQL they are reference tables, so they carry no shard in their keys.

create table accounts (
  id uuid primary key,
  shard integer not null,
  name text not null,
  status text not null check (status in ('active', 'suspended')),
  live_access text not null check (live_access in ('none', 'requested', 'granted', 'rejected')),
  rate_limit integer,
  -- Null: the installation's default.
  daily_message_quota integer,
  phrase_opt_out text not null check (phrase_opt_out in ('opt_out', 'flag')),
  smart_encoding boolean not null default false,
  -- Quiet hours, packed: start minute of the day times 1,440, plus end minute.
  quiet_hours integer,
  created_at timestamptz not null,
  -- Set while the rows of a deleted account are being erased; the account's own row goes last.
  deleted_at timestamptz,
  opt_in_required boolean not null default false,
  redact_after_days integer check (redact_after_days between 7 and 3650),
  -- Everything older is redacted.
  redacted_until timestamptz,
  -- Latest roll of the Twilio-compatible API's auth token, for each mode; null before the first. The
  -- token derives from it and the installation's secret key, so no token is stored.
  test_auth_token_roll uuid,
  live_auth_token_roll uuid
);
create index accounts_deleted on accounts (deleted_at) where deleted_at is not null;

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
  revoked_at timestamptz,
  -- Also set when a rolled key overlaps with its successor.
  expires_at timestamptz,
  -- Networks that may use the key, as CIDR blocks; null: any.
  allowed_ips text[] check (cardinality(allowed_ips) > 0)
);
create index api_keys_by_account on api_keys (account_id, id desc);

-- Tables below belong to accounts: `shard` comes first in every key, and every statement names it.

-- The one row of an account that a group commit locks: money, allowance, quota, and the numbering
-- of events and audit entries. Sequence order is commit order.
create table account_counters (
  shard integer not null,
  account_id uuid not null,
  balance_micros bigint not null default 0,
  reserved_micros bigint not null default 0 check (reserved_micros >= 0),
  spent_month date not null default '1970-01-01',
  spent_micros bigint not null default 0,
  -- The account's monthly spend limit, and the spending at which it gets the next alert.
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
  -- The heads of the account's consent chains, live and sandbox. Writers of consent and sends lock
  -- this row first: once an opt-out is committed, no message to that person is submitted.
  consent_seq bigint not null default 0,
  consent_hash bytea not null default decode(repeat('00', 32), 'hex'),
  sandbox_consent_seq bigint not null default 0,
  sandbox_consent_hash bytea not null default decode(repeat('00', 32), 'hex'),
  primary key (shard, account_id)
);

create table verified_numbers (
  shard integer not null,
  account_id uuid not null,
  phone_number text not null,
  id uuid not null,
  created_at timestamptz not null,
  -- Null until the code is confirmed.
  verified_at timestamptz,
  -- Id that the code is derived from; expiry; numbers of sends and of guesses.
  code_id uuid,
  code_expires_at timestamptz,
  sends integer not null default 0,
  tries integer not null default 0,
  primary key (shard, account_id, phone_number)
);
create index verified_numbers_by_code on verified_numbers (shard, code_id) where code_id is not null;

-- Token buckets shared by all processes. Unlogged: writes cost no fsync. After a database crash
-- every bucket starts full, which is harmless.
create unlogged table rate_buckets (
  shard integer not null,
  account_id uuid not null,
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (shard, account_id)
);

-- Answers of an account's request for live access. A new request replaces the previous one.
create table live_access_requests (
  shard integer not null,
  account_id uuid not null,
  company text not null,
  website text not null,
  use_case text not null,
  monthly_volume integer not null,
  requested_at timestamptz not null,
  primary key (shard, account_id)
);

-- Free messages and mails counted per UTC day, each kind up to its own cap. No API call deletes these rows.
create table daily_sends (
  shard integer not null,
  -- All zeros: counted for all accounts together, in the first shard.
  account_id uuid not null,
  kind text not null check (kind in ('own_phone_code', 'sandbox_message', 'sandbox_reply', 'invitation_mail', 'reset_mail')),
  -- The phone number, email or user, if the cap applies per recipient; otherwise empty.
  recipient text not null,
  day date not null,
  sends integer not null,
  primary key (shard, account_id, kind, recipient, day)
);
create index daily_sends_by_age on daily_sends (shard, day);

create table customers (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  external_id text,
  metadata json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, id)
);
create unique index customers_by_external_id on customers (shard, account_id, external_id)
  where external_id is not null;

-- Ids of deleted customers, without any other data. Messages and numbers still refer to them, and
-- lists can still filter by them.
create table deleted_customers (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  deleted_at timestamptz not null,
  primary key (shard, account_id, id)
);
