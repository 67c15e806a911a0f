-- Named tokens of the operator API, and deleted accounts.

-- Tokens belong to no account, like users. Stores the SHA-256 of each: a reader of this table cannot
-- call with it.
create table operator_tokens (
  id uuid primary key,
  name text not null,
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  last4 text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- Set while the rows of a deleted account are being erased; the account's own row goes last.
alter table accounts add column deleted_at timestamptz;
create index accounts_deleted on accounts (deleted_at) where deleted_at is not null;

-- Append-only tables give up the rows of a deleted account: the transaction that erases them sets
-- longwave.erases_account. Only the owner of the tables may delete from them at all.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and 'on' in (
    current_setting('longwave.moves_partitions', true),
    current_setting('longwave.erases_account', true)
  ) then
    return old;
  end if;
  raise exception '% is append-only.', tg_table_name;
end $$;

create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('longwave.erases_account', true) = 'on' then
    return old;
  end if;
  raise exception 'The consent ledger is append-only.';
end $$;
