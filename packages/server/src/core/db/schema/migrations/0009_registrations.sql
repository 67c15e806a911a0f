create table registrations (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  status text not null check (status in
    ('draft', 'checks_failed', 'ready', 'submitted', 'in_review', 'approved', 'suspended', 'expired', 'rejected')),
  business_name text not null,
  website text not null,
  use_case text not null,
  -- The other fields: addresses, examples, brand, description.
  given json not null,
  -- Result of the last website check, as the API returns it; null for a draft that was never
  -- checked.
  website_check json,
  -- Code, note and time of the last rejection, suspension or expiry, until the next check.
  rejection json,
  history json not null,
  submissions integer not null default 0,
  -- The registry's reference of the last submission; null before it is filed, and where the
  -- operator decides.
  registry_reference text,
  -- Optimistic lock, counts changes: a result for an older revision never overwrites a newer one.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Mode of the key that submitted it; null before submission. A registration submitted with a test
  -- key covers no live number.
  mode text check (mode in ('test', 'live')),
  kind text not null default 'campaign' check (kind in ('campaign', 'toll_free')),
  -- Rates and daily caps of networks, and who set them; null without limits.
  limits json,
  primary key (shard, account_id, id),
  check (status not in ('rejected', 'suspended', 'expired') or rejection is not null),
  -- A campaign that is approved elsewhere is submitted and approved without a check of its website.
  check (status not in ('checks_failed', 'ready') or website_check is not null)
);
create index registrations_by_status on registrations (shard, account_id, status, id desc);
-- For the operator's list of registrations that await review, across all accounts.
create index registrations_to_review on registrations (status, id desc);
create index registrations_by_id on registrations (id);
-- Notifications of the registry name a filing.
create index registrations_by_reference on registrations (registry_reference) where registry_reference is not null;

-- Website checks of the last hour, for the rate limit on checks.
create table registration_checks (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  checked_at timestamptz not null,
  primary key (shard, account_id, id)
);

-- Pace of a registration with limits. Its numbers send through any process and carrier.
create table registration_paces (
  shard integer not null,
  account_id uuid not null,
  registration_id uuid not null,
  -- Time from which the next message may leave.
  free_at timestamptz not null,
  -- Day of the networks, in Pacific Time, and the segments sent on it.
  day date not null,
  segments integer not null,
  primary key (shard, account_id, registration_id)
);
