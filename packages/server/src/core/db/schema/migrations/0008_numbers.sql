-- Numbers and the stock they are bought from are directories that every process must see whole:
-- an inbound text is matched to its account by the number alone.

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
  -- The registration was named for this very number; otherwise it is the one that the account has.
  registration_tied boolean not null default false,
  -- The registration that the registry has the number linked to, the link that is under way, and the registration to
  -- which the last link failed for good.
  linked_to uuid,
  link_id uuid,
  link_failed_to uuid,
  sender_state text not null check (sender_state in ('test_only', 'pending', 'active', 'action_needed')),
  sender_reason text,
  sender_updated_at timestamptz not null,
  purchased_at timestamptz not null,
  released_at timestamptz,
  -- Live numbers only: the end of the time that is paid for, when to try the next payment, and
  -- since when one is owed.
  paid_until timestamptz,
  charge_at timestamptz,
  unpaid_since timestamptz,
  check (mode = 'test' or paid_until is not null),
  check (released_at is null or charge_at is null)
);
-- A live number is active in at most one account. Sandbox numbers are per account; no account
-- holds a number twice, whatever the modes.
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

-- The operator's stock of live numbers. `number_id` is the ownership it is sold to; setting it is
-- what a purchase competes for.
create table inventory_numbers (
  phone_number text primary key,
  id uuid not null unique,
  type text not null check (type in ('local', 'toll_free')),
  country text not null,
  region text,
  locality text,
  area_code text not null,
  carrier text,
  -- Every four digits in a row of the ten, as numbers: a search for digits finds its candidates by them.
  grams smallint[] not null,
  number_id uuid,
  -- Set with the release: until then it stays with the ownership that ended.
  rests_until timestamptz,
  created_at timestamptz not null,
  check (rests_until is null or number_id is not null)
);
-- In the order of the numbers, which begin with their area codes.
create index inventory_available on inventory_numbers (area_code, phone_number)
  where number_id is null;
create index inventory_available_by_region on inventory_numbers (lower(region), area_code, phone_number)
  where number_id is null;
create index inventory_available_by_locality on inventory_numbers (lower(locality), area_code, phone_number)
  where number_id is null;
-- What was added last waits in a list that every search reads: a short one, so that both stay quick.
create index inventory_available_by_digits on inventory_numbers using gin (grams)
  with (gin_pending_list_limit = 256) where number_id is null;
create index inventory_available_newest on inventory_numbers (id desc) where number_id is null;
create index inventory_sold_newest on inventory_numbers (id desc) where number_id is not null;

-- `version` grows with every change of the members: what a process remembers of the choices made
-- under one version holds as long as the version does.
create table pools (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  -- A deleted pool's row stays until the choices it leaves behind are cleared away.
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

-- The member that a recipient hears from. It holds as long as that number is in the pool.
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
