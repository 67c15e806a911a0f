-- Erasure of one phone number, and of whole accounts.

create table erasures (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  status text not null check (status in ('running', 'complete')),
  -- The number while the erasure runs.
  phone_number text,
  -- HMAC-SHA-256 of the number: the number stays opted out under it.
  phone_hash bytea not null check (octet_length(phone_hash) = 32),
  note text,
  -- Records changed, by place.
  report jsonb not null,
  waiting integer not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (shard, account_id, id),
  check ((status = 'running') = (phone_number is not null)),
  check ((status = 'running') = (due_at is not null)),
  check ((status = 'running') = (completed_at is null))
);
create unique index erasures_one_running on erasures (shard, account_id, phone_hash) where status = 'running';
create index erasures_by_hash on erasures (shard, account_id, phone_hash, id desc);
create index erasures_due on erasures (shard, due_at) where due_at is not null;

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

-- Spans of ids that a redaction has passed while rows of them had not ended.
create table redaction_leftovers (
  shard integer not null,
  account_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  primary key (shard, account_id, from_id)
);
