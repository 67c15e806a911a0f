-- Numbers that come over from another provider. A directory of the whole installation, as numbers are: a
-- number can be on its way to one account only.
create table port_requests (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  shard integer not null,
  phone_number text not null,
  status text not null check (status in ('requested', 'submitted', 'foc_set', 'complete', 'rejected')),
  reason text,
  foc_date date,
  provider text not null,
  -- The pools that the number joins when it is the account's.
  pool_ids uuid[] not null default '{}',
  -- The ownership that completing it began.
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
