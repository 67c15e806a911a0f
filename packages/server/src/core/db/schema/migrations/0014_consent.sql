-- The consent ledger: append-only, numbered and hash-chained per account and mode. A simulated phone
-- writes the sandbox's ledger; whatever the account records itself is written into both.
-- consent_states is the ledger's fold, so that a send reads one row.

create table consent_ledger (
  shard integer not null,
  account_id uuid not null,
  -- Grows by one per account and mode.
  seq bigint not null,
  id uuid not null,
  phone_number text not null,
  -- Grows by one per phone number and mode.
  number_seq integer not null,
  customer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- A flag does not change consent: a person of the account should read the message.
  status text not null check (status in ('opted_in', 'opted_out', 'flagged')),
  source text not null,
  match text check (match in ('keyword', 'phrase')),
  keyword text,
  note text,
  -- When consent was given or withdrawn, according to an imported list.
  given_at timestamptz,
  -- The inbound message, the own number it was sent to, and the carrier that delivered it.
  message_id uuid,
  texted_number text,
  carrier text,
  -- The API key or console user that wrote the entry; null if the recipient did by message.
  recorded_by text,
  created_at timestamptz not null,
  -- Hash of the number's previous entry; null on its first.
  previous_hash bytea check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  -- Hash of the account's chain up to and including this entry.
  chain_hash bytea not null check (octet_length(chain_hash) = 32),
  mode text not null check (mode in ('test', 'live')),
  basis text check (basis in ('express', 'implied_inquiry', 'implied_purchase')),
  expires_at timestamptz,
  -- Disclosure, page, IP address, user agent, form version and time, as the account collected them.
  evidence json,
  primary key (shard, account_id, mode, seq),
  unique (shard, account_id, mode, phone_number, number_seq),
  check ((number_seq = 1) = (previous_hash is null))
);

-- The owner of the tables may delete the entries of a deleted account, and redact entries of an
-- erased number: hashes, status and time stay.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('longwave.erases_account', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE' and current_setting('longwave.erases_phone', true) = 'on' then
    return new;
  end if;
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
  -- The nil UUID: the whole account.
  customer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  status text not null check (status in ('opted_in', 'opted_out')),
  -- The ledger entry that set the current state, and the first entry of this row. Lists order by
  -- the first, which never changes, so a page neither repeats nor misses a changed row.
  seq bigint not null,
  first_seq bigint not null,
  source text not null,
  match text,
  note text,
  recorded_by text,
  updated_at timestamptz not null,
  mode text not null check (mode in ('test', 'live')),
  basis text check (basis in ('express', 'implied_inquiry', 'implied_purchase')),
  -- End of implied consent; null: no end.
  expires_at timestamptz,
  primary key (shard, account_id, mode, phone_number, customer_id)
);
create index consent_states_by_status on consent_states (shard, account_id, mode, status, first_seq desc);
create index consent_states_by_customer
  on consent_states (shard, account_id, mode, customer_id, status, first_seq desc);

-- Automatic replies per phone and own number: HELP is answered a few times an hour, once an hour to
-- people who have opted out. Few enough to end a loop between two machines.
create table auto_reply_counts (
  shard integer not null,
  account_id uuid not null,
  phone_number text not null,
  texted_number text not null,
  window_started_at timestamptz not null,
  replies integer not null,
  help_replied_at timestamptz,
  help_replies integer not null default 0,
  primary key (shard, account_id, phone_number, texted_number)
);
create index auto_reply_counts_by_age on auto_reply_counts (shard, window_started_at);

-- Times of recent automatic replies between two numbers, in both directions: stops loops between
-- two machines.
create table reply_pairs (
  shard integer not null,
  -- The account of a sandbox number. All zeros for live numbers: traffic of both accounts of a pair
  -- counts.
  account_id uuid not null,
  low_number text not null,
  high_number text not null,
  sent_at_ms bigint[] not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, low_number, high_number)
);
create index reply_pairs_by_age on reply_pairs (shard, updated_at);

-- Editions of the table of lawful hours that the operator set. The newest is in force; none: the built-in table.
create table quiet_laws (
  id uuid primary key,
  edition text not null,
  hours json not null,
  -- API id and name of the operator's token; the name is null for the token of the settings.
  author_id text,
  author_name text,
  created_at timestamptz not null
);
