-- One-time codes. The code is never stored: each send or check derives it from the id with a key of
-- the installation.
create table verifications (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  phone text not null,
  -- A pending verification past expires_at reads as expired, even before the row is updated.
  status text not null check (status in ('pending', 'approved', 'expired', 'max_attempts')),
  app_name text,
  customer_id uuid,
  -- A number of the account; null: one of the service's own numbers.
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
  metadata json,
  -- Its price at the time of the check.
  price_micros bigint not null default 0,
  primary key (shard, id),
  check ((status = 'approved') = (approved_at is not null)),
  check ((status = 'pending') = (ended_at is null)),
  check (not charged or status = 'approved')
) partition by range (id);
create table verifications_default partition of verifications default;
create index verifications_by_customer on verifications (shard, account_id, customer_id, id desc)
  where customer_id is not null;

-- Approved verifications only, for daily counts per account.
create index verifications_approved on verifications (shard, account_id, mode, id) where status = 'approved';

-- State per phone: the newest verification, and the send times of the last day (at most ten, so the
-- row stays small).
create table verification_phones (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  phone text not null,
  verification_id uuid,
  sent_at_ms bigint[] not null check (cardinality(sent_at_ms) <= 10),
  updated_at timestamptz not null,
  -- Consecutive wrong codes before the newest verification.
  failures integer not null default 0,
  primary key (shard, account_id, mode, phone)
);
create index verification_phones_by_age on verification_phones (shard, updated_at);

-- Velocity counters of the fraud rules, by key and time slice: a rule reads a few rows, however
-- many verifications there are.
create table verification_counters (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  -- Rules read prefixes as a range: the blocks of an exchange are adjacent.
  key text collate "C" not null,
  bucket timestamptz not null,
  started integer not null default 0,
  sent integer not null default 0,
  approved integer not null default 0,
  primary key (shard, account_id, mode, key, bucket)
);
create index verification_counters_by_age on verification_counters (shard, bucket);

-- Prefixes with a temporary block. A row past its time blocks nothing.
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

-- Fraud decisions. Listed by account; a verification finds its latest one through its own
-- `decision` column.
create table verification_decisions (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null,
  phone text not null,
  verification_id uuid,
  allowed boolean not null,
  -- The rule that blocked, or would have blocked.
  reason text,
  created_at timestamptz not null,
  -- Values that every rule saw, as `rule count threshold,…`: a third of the size of JSON, in a row
  -- that every send writes.
  rule_trace text not null,
  primary key (shard, account_id, mode, id)
) partition by range (id);
create table verification_decisions_default partition of verification_decisions default;
create index verification_decisions_by_phone on verification_decisions (shard, account_id, mode, phone, id desc);
create index verification_decisions_blocked on verification_decisions (shard, account_id, mode, id desc)
  where not allowed;

-- Verifications per hour, for the account's statistics.
create table verification_hours (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  hour timestamptz not null,
  started integer not null default 0,
  sent integer not null default 0,
  approved integer not null default 0,
  blocked integer not null default 0,
  -- Input of the conversion rate; test numbers are left out.
  scored integer not null default 0,
  answered integer not null default 0,
  primary key (shard, account_id, mode, hour)
);
create index verification_hours_by_age on verification_hours (shard, hour);

-- Phones that answered a code with STOP: the service's own numbers no longer send to them.
create table verification_stops (
  shard integer not null default 0,
  phone text not null,
  stopped_at timestamptz not null,
  primary key (shard, phone)
);

-- Times of recent codes sent through a real carrier, per phone, across all accounts.
create table verification_targets (
  shard integer not null default 0,
  phone text not null,
  sent_at_ms bigint[] not null,
  updated_at timestamptz not null,
  primary key (shard, phone)
);
create index verification_targets_by_age on verification_targets (shard, updated_at);
