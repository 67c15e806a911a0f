-- Numbers and inventory are directories that every process must see whole: an inbound message finds
-- its account by the number alone.

-- One row per ownership. Releasing a number ends its row; buying it again makes a new one, so
-- history stays readable under the account that had it.
create table numbers (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  shard integer not null,
  phone_number text not null,
  mode text not null check (mode in ('test', 'live')),
  type text not null check (type in ('local', 'toll_free')),
  country text not null,
  region text,
  locality text,
  area_code text not null,
  carrier text,
  label text,
  tags text[] not null default '{}',
  customer_id uuid,
  registration_id uuid,
  -- True if the client named this registration for the number; false if the number uses the
  -- account's only registration.
  registration_tied boolean not null default false,
  -- The registration linked at the registry, the link in progress, and the registration whose link
  -- failed permanently.
  linked_to uuid,
  link_id uuid,
  link_failed_to uuid,
  sender_state text not null check (sender_state in ('test_only', 'pending', 'active', 'action_needed')),
  sender_reason text,
  sender_updated_at timestamptz not null,
  purchased_at timestamptz not null,
  released_at timestamptz,
  -- Live numbers only: end of the paid period, time of the next payment attempt, and start of
  -- arrears.
  paid_until timestamptz,
  charge_at timestamptz,
  unpaid_since timestamptz,
  -- The operator vouches for a number that is registered elsewhere: a campaign at the provider, a
  -- SIM. The vouch ends with the ownership.
  vouch_reason text,
  vouch_reference text,
  vouched_at timestamptz,
  -- Callback for inbound messages, of the Twilio-compatible API.
  sms_url text,
  sms_method text not null default 'POST' check (sms_method in ('GET', 'POST')),
  check (mode = 'test' or paid_until is not null),
  check (released_at is null or charge_at is null),
  check ((vouched_at is null) = (vouch_reason is null) and (vouched_at is null) = (vouch_reference is null))
);
-- A live number is active in at most one account. Sandbox numbers are per account. An account has a
-- number at most once across modes.
create unique index numbers_one_live_owner on numbers (phone_number)
  where mode = 'live' and released_at is null;
create unique index numbers_one_per_account on numbers (account_id, phone_number)
  where released_at is null;
create index numbers_by_phone on numbers (account_id, phone_number, id desc);
create index numbers_by_account on numbers (account_id, id desc) where released_at is null;
create index numbers_by_customer on numbers (account_id, customer_id, id desc)
  where released_at is null and customer_id is not null;
create index numbers_unpaid on numbers (account_id, unpaid_since)
  where unpaid_since is not null and released_at is null;
create index numbers_linking on numbers (account_id, link_id) where link_id is not null;
create index numbers_to_charge on numbers (shard, charge_at) where charge_at is not null;

-- The operator's stock of live numbers. `number_id` is the ownership it is sold to; concurrent
-- purchases compete to set it.
create table inventory_numbers (
  phone_number text primary key,
  id uuid not null unique,
  type text not null check (type in ('local', 'toll_free')),
  country text not null,
  region text,
  locality text,
  area_code text not null,
  carrier text,
  -- All four-digit windows of the ten digits, as integers: a digit search finds its candidates
  -- through them.
  grams smallint[] not null,
  number_id uuid,
  -- Set with the release; until then the stock row refers to the ended ownership.
  cooldown_until timestamptz,
  created_at timestamptz not null,
  check (cooldown_until is null or number_id is not null)
);
-- Ordered by number, so one area code is one range.
create index inventory_available on inventory_numbers (area_code, phone_number)
  where number_id is null;
create index inventory_available_by_region on inventory_numbers (lower(region), area_code, phone_number)
  where number_id is null;
create index inventory_available_by_locality on inventory_numbers (lower(locality), area_code, phone_number)
  where number_id is null;
-- GIN pending list, which every search scans: kept short, so that both inserts and searches stay
-- fast.
create index inventory_available_by_digits on inventory_numbers using gin (grams)
  with (gin_pending_list_limit = 256) where number_id is null;
create index inventory_available_newest on inventory_numbers (id desc) where number_id is null;
create index inventory_sold_newest on inventory_numbers (id desc) where number_id is not null;

-- `version` grows with every change of the members. A cached choice is valid for the version it was
-- made under.
create table pools (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  -- A deleted pool's row stays until its pool_choices are cleared.
  deleted_at timestamptz,
  primary key (shard, account_id, id)
);

create index pools_deleted on pools (shard, deleted_at) where deleted_at is not null;

create table pool_members (
  shard integer not null,
  account_id uuid not null,
  pool_id uuid not null,
  number_id uuid not null,
  position integer not null,
  primary key (shard, account_id, pool_id, number_id)
);
create index pool_members_by_number on pool_members (shard, account_id, number_id);

-- The pool member that a recipient always gets, for as long as that number is in the pool.
create table pool_choices (
  shard integer not null,
  account_id uuid not null,
  pool_id uuid not null,
  mode text not null,
  recipient text not null,
  number_id uuid not null,
  chosen_at timestamptz not null,
  primary key (shard, account_id, pool_id, mode, recipient)
);

-- Numbers being ported in from another provider. A directory of the whole installation: a number
-- can be ported to one account only.
create table port_requests (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  shard integer not null,
  phone_number text not null,
  status text not null check (status in ('requested', 'submitted', 'foc_set', 'complete', 'rejected')),
  reason text,
  foc_date date,
  provider text not null,
  -- Pools that the number joins when the port completes.
  pool_ids uuid[] not null default '{}',
  -- The ownership created by completing the port.
  number_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'rejected') = (reason is not null)),
  check ((status = 'complete') = (number_id is not null)),
  check (status not in ('foc_set', 'complete') or foc_date is not null)
);
create unique index port_requests_one_open on port_requests (phone_number)
  where status in ('requested', 'submitted', 'foc_set');
create index port_requests_by_account on port_requests (account_id, id desc);
create index port_requests_by_status on port_requests (status, id desc);
create index port_requests_by_phone on port_requests (phone_number, id desc);
