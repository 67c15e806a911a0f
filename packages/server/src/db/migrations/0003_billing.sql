-- Append-only. One billable fact has one entry: the key is the fact, so the database itself
-- refuses a second debit. `object_id` is the id of the message, verification, credit, …
create table ledger_entries (
  shard integer not null,
  account_id uuid not null,
  object_id uuid not null,
  kind text not null,
  period text not null default '',
  amount_micros bigint not null,
  note text,
  created_at timestamptz not null,
  primary key (shard, object_id, account_id, kind, period)
) partition by range (object_id);
-- For reading what is not a text: texts are many, are added up by day elsewhere, and pay nothing for this.
create index ledger_entries_by_time on ledger_entries (account_id, created_at desc, object_id desc)
  where kind not in ('message', 'inbound');
create table ledger_entries_default partition of ledger_entries default;
create trigger ledger_entries_rows_stay before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_stay before truncate on ledger_entries
  for each statement execute function refuse_change();
