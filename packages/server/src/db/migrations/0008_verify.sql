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
  primary key (shard, id),
  check ((status = 'approved') = (approved_at is not null)),
  check ((status = 'pending') = (ended_at is null)),
  check (not charged or status = 'approved')
) partition by range (id);
create table verifications_default partition of verifications default;
create index verifications_by_customer on verifications (shard, account_id, customer_id, id desc)
  where customer_id is not null;

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
  primary key (shard, account_id, mode, phone)
);
create index verification_phones_by_age on verification_phones (shard, updated_at);

-- What the rules of fraud protection count, by key and slice of time: a rule reads a handful of
-- rows, however many verifications there are.
create table verification_counters (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  key text not null,
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
  blocked_until timestamptz not null,
  primary key (shard, account_id, mode, prefix)
);
create index verification_blocks_by_age on verification_blocks (shard, blocked_until);

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
  rules json not null,
  created_at timestamptz not null,
  primary key (shard, id)
) partition by range (id);
create table verification_decisions_default partition of verification_decisions default;
create index verification_decisions_by_account on verification_decisions (shard, account_id, mode, id desc);
create index verification_decisions_by_phone on verification_decisions (shard, account_id, mode, phone, id desc);
create index verification_decisions_blocked on verification_decisions (shard, account_id, mode, id desc)
  where not allowed;
create index verification_decisions_by_verification on verification_decisions (shard, verification_id, id desc)
  where verification_id is not null;

create table verification_hours (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  hour timestamptz not null,
  started integer not null default 0,
  sent integer not null default 0,
  approved integer not null default 0,
  blocked integer not null default 0,
  primary key (shard, account_id, mode, hour)
);

-- A text that goes out from a number of the service's: one row per send, committed before a byte
-- leaves, so that one attempt at a time is out. `open` is in a carrier's hands. An outcome that
-- stays unknown is tried once more (a code that arrives twice does no harm), then left at that.
create table verification_sends (
  shard integer not null,
  account_id uuid not null,
  verification_id uuid not null,
  send integer not null,
  mode text not null,
  phone text not null,
  from_number text not null,
  simulated boolean not null,
  state text not null check (state in ('waiting', 'open', 'accepted', 'refused', 'unknown')),
  attempts integer not null,
  resent boolean not null default false,
  -- Whether verification.sent was emitted.
  told boolean not null default false,
  carrier text,
  carrier_code text,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  primary key (shard, verification_id, send),
  check ((state in ('waiting', 'open')) = (next_attempt_at is not null))
);
create index verification_sends_due on verification_sends (shard, next_attempt_at)
  where next_attempt_at is not null;
create index verification_sends_by_age on verification_sends (shard, created_at);

-- People who answered a code with STOP: the service's own numbers text them no more.
create table verification_stops (
  shard integer not null default 0,
  phone text not null,
  stopped_at timestamptz not null,
  primary key (shard, phone)
);

-- A text that carries a code is stored with its digits masked; they are put back as it leaves.
alter table messages add column verification_id uuid;
