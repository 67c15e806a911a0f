create table customers (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  external_id text,
  metadata json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, id)
);
create unique index customers_by_external_id on customers (shard, account_id, external_id)
  where external_id is not null;

-- The ids of deleted customers, and nothing else about them: texts and numbers still name them, and a
-- list filtered by one shows its rows.
create table deleted_customers (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  deleted_at timestamptz not null,
  primary key (shard, account_id, id)
);
