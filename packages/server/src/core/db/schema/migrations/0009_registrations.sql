create table registrations (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  status text not null check (status in
    ('draft', 'checks_failed', 'ready', 'submitted', 'in_review', 'approved', 'rejected')),
  business_name text not null,
  website text not null,
  use_case text not null,
  -- What else was given: addresses, examples, brand, description.
  given json not null,
  -- The last check of the website as it is answered; null for a draft that was never checked.
  website_check json,
  -- Code, note and time of the last rejection, until the next check.
  rejection json,
  history json not null,
  submissions integer not null default 0,
  -- What the registry calls the last submission, once it was filed there; null where the operator decides.
  registry_reference text,
  -- Counts the changes: who checked an older one does not overwrite a newer one.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, id),
  check (status <> 'rejected' or rejection is not null),
  check (status in ('draft', 'rejected') or website_check is not null)
);
create index registrations_by_status on registrations (shard, account_id, status, id desc);
-- For the operator, who looks for what waits for a review over all accounts.
create index registrations_to_review on registrations (status, id desc);
create index registrations_by_id on registrations (id);

-- One row per check of a website in the last hour, for the limit on checks.
create table registration_checks (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  checked_at timestamptz not null,
  primary key (shard, account_id, id)
);
