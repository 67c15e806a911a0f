-- Erasure of one phone number, and redaction of old messages.

alter table accounts
  add column redact_after_days integer check (redact_after_days between 7 and 3650),
  -- Everything older is redacted.
  add column redacted_until timestamptz;

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
  report json not null,
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

-- The owner of the tables may redact entries of an erased number: hashes, status and time stay.
create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('longwave.erases_account', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE' and current_setting('longwave.erases_phone', true) = 'on' then
    return new;
  end if;
  raise exception 'The consent ledger is append-only.';
end $$;
