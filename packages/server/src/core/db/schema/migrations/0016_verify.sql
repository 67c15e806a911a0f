-- One-time codes. The code itself is nowhere: it is derived from the id with a key of the
-- installation each time it is sent or checked.
create table verifications (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  phone text not null,
  -- A pending one whose time is over reads as expired before anybody has written that down.
  status text not null check (status in ('pending', 'approved', 'expired', 'max_attempts')),
  app_name text,
  customer_id uuid,
  -- A number of the account's own; null: one of the service's.
  from_number text,
  attempts integer not null default 0 check (attempts between 0 and 5),
  sends integer not null default 1 check (sends between 1 and 5),
  charged boolean not null default false,
  simulated boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  approved_at timestamptz,
  ended_at timestamptz,
  decision_id uuid,
  primary key (shard, id),
  check ((status = 'approved') = (approved_at is not null)),
  check ((status = 'pending') = (ended_at is null)),
  check (not charged or status = 'approved')
) partition by range (id);
create table verifications_default partition of verifications default;
create index verifications_by_customer on verifications (shard, account_id, customer_id, id desc)
  where customer_id is not null;

-- Approved ones only: what is counted by day for the account.
create index verifications_approved on verifications (shard, account_id, mode, id) where status = 'approved';

-- What is asked by phone: its newest verification, and when it was texted in the last day (at most
-- ten times, so the row stays small).
create table verification_phones (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  phone text not null,
  verification_id uuid,
  sent_at_ms bigint[] not null check (cardinality(sent_at_ms) <= 10),
  updated_at timestamptz not null,
  -- Wrong codes in a row before the newest verification.
  failures integer not null default 0,
  primary key (shard, account_id, mode, phone)
);
create index verification_phones_by_age on verification_phones (shard, updated_at);

-- What the rules of fraud protection count, by key and slice of time: a rule reads a handful of
-- rows, however many verifications there are.
create table verification_counters (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  -- Prefixes are read as a range: the blocks of an exchange stand side by side.
  key text collate "C" not null,
  bucket timestamptz not null,
  started integer not null default 0,
  sent integer not null default 0,
  approved integer not null default 0,
  primary key (shard, account_id, mode, key, bucket)
);
create index verification_counters_by_age on verification_counters (shard, bucket);

-- Prefixes that no code is sent to for a while. A row past its time blocks nothing.
create table verification_blocks (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  prefix text not null,
  rule text not null,
  created_at timestamptz not null,
  blocked_until timestamptz not null,
  primary key (shard, account_id, mode, prefix)
);
create index verification_blocks_by_age on verification_blocks (shard, blocked_until);

-- Why a code was or was not sent. Decisions are listed by account and found by the verification's own
-- note of its last one.
create table verification_decisions (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null,
  phone text not null,
  verification_id uuid,
  allowed boolean not null,
  -- The rule that blocked, or would have.
  reason text,
  created_at timestamptz not null,
  -- What every rule saw, as `rule count threshold,…`: a third of the text that JSON takes, in a row
  -- that is written with every code.
  seen text not null,
  primary key (shard, account_id, mode, id)
) partition by range (id);
create table verification_decisions_default partition of verification_decisions default;
create index verification_decisions_by_phone on verification_decisions (shard, account_id, mode, phone, id desc);
create index verification_decisions_blocked on verification_decisions (shard, account_id, mode, id desc)
  where not allowed;

-- What happened in each hour, for the account's statistics.
create table verification_hours (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  hour timestamptz not null,
  started integer not null default 0,
  sent integer not null default 0,
  approved integer not null default 0,
  blocked integer not null default 0,
  -- What conversion is judged by; test numbers are left out.
  judged integer not null default 0,
  answered integer not null default 0,
  primary key (shard, account_id, mode, hour)
);
create index verification_hours_by_age on verification_hours (shard, hour);

-- People who answered a code with STOP: the service's own numbers text them no more.
create table verification_stops (
  shard integer not null default 0,
  phone text not null,
  stopped_at timestamptz not null,
  primary key (shard, phone)
);

-- When a phone was last texted codes for real, whoever asked for them.
create table verification_targets (
  shard integer not null default 0,
  phone text not null,
  sent_at_ms bigint[] not null,
  updated_at timestamptz not null,
  primary key (shard, phone)
);
create index verification_targets_by_age on verification_targets (shard, updated_at);
