-- Who may be texted. The ledger is the truth: append-only, numbered and hash-chained per account.
-- The states are its fold, kept beside it so that a send asks one row.

create table consent_ledger (
  shard integer not null,
  account_id uuid not null,
  -- Grows by one per account.
  seq bigint not null,
  id uuid not null,
  phone_number text not null,
  -- Grows by one per phone number.
  number_seq integer not null,
  customer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- A flag changes nothing: someone should read what the person wrote.
  status text not null check (status in ('opted_in', 'opted_out', 'flagged')),
  source text not null,
  match text check (match in ('keyword', 'phrase')),
  keyword text,
  note text,
  -- When consent was given or withdrawn, where a list that was imported says so.
  given_at timestamptz,
  -- The text that said it, the number of ours it was sent to, and the carrier that brought it.
  message_id uuid,
  texted_number text,
  carrier text,
  -- The API key or console user that wrote it; null where the person did by texting.
  recorded_by text,
  created_at timestamptz not null,
  -- The hash of the number's entry before; null on its first.
  previous_hash bytea check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  -- The account's chain up to and including this entry.
  chain_hash bytea not null check (octet_length(chain_hash) = 32),
  primary key (shard, account_id, seq),
  unique (shard, account_id, phone_number, number_seq),
  check ((number_seq = 1) = (previous_hash is null))
);

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'The consent ledger is append-only.';
end $$;
create trigger consent_ledger_rows_stay before update or delete on consent_ledger
  for each row execute function refuse_ledger_change();
create trigger consent_ledger_stays before truncate on consent_ledger
  for each statement execute function refuse_ledger_change();

create table consent_states (
  shard integer not null,
  account_id uuid not null,
  phone_number text not null,
  -- The nil UUID stands for the whole account.
  customer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  status text not null check (status in ('opted_in', 'opted_out')),
  -- The ledger entry that made it so, and the first one of this row: lists are ordered by the
  -- first, which never changes, so a row that changes meanwhile is neither repeated nor missed.
  seq bigint not null,
  first_seq bigint not null,
  source text not null,
  match text,
  note text,
  recorded_by text,
  updated_at timestamptz not null,
  primary key (shard, account_id, phone_number, customer_id)
);
create index consent_states_by_status on consent_states (shard, account_id, status, first_seq desc);
create index consent_states_by_customer
  on consent_states (shard, account_id, customer_id, status, first_seq desc);

-- How often a phone was answered by one of our numbers: HELP once an hour, and never so often that
-- two machines keep each other busy.
create table auto_reply_counts (
  shard integer not null,
  account_id uuid not null,
  phone_number text not null,
  texted_number text not null,
  window_started_at timestamptz not null,
  replies integer not null,
  help_replied_at timestamptz,
  primary key (shard, account_id, phone_number, texted_number)
);
create index auto_reply_counts_by_age on auto_reply_counts (shard, window_started_at);
