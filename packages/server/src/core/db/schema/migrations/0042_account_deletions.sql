-- Deleted accounts, and what their deletion did: the operator's record, which outlives the account. No column is
-- called account_id, because rows of tables with that column go with their account.
create table account_deletions (
  id uuid primary key,
  deleted_account_id uuid not null unique,
  name text not null,
  status text not null check (status in ('running', 'complete')),
  -- Work that waited at the deletion, by kind.
  canceled json not null,
  -- Live numbers, which are released.
  numbers text[] not null,
  -- Rows erased, by table.
  report jsonb not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  check ((status = 'running') = (completed_at is null))
);
