-- Append-only. The key is the billable fact, so the unique key refuses a second debit for it.
-- `object_id` is the id of the message, verification, credit, …
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
-- For reading entries other than messages. Messages are many and are summed by day elsewhere, so
-- they do not pay for this index.
create index ledger_entries_by_time on ledger_entries (account_id, created_at desc, object_id desc)
  where kind not in ('message', 'inbound');
create table ledger_entries_default partition of ledger_entries default;
create trigger ledger_entries_rows_stay before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_stay before truncate on ledger_entries
  for each statement execute function refuse_change();

-- Usage of past days, per account and customer, counted once: clients query usage often, and a day
-- may have a million messages. A past day never changes. A message's price changes only while the
-- message waits to be sent, and days with waiting messages are not stored here.
create table usage_days (
  shard integer not null,
  account_id uuid not null,
  -- All zeros: the whole account.
  customer_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  -- UTC.
  day date not null,
  outbound integer not null,
  outbound_micros bigint not null,
  inbound integer not null,
  inbound_micros bigint not null,
  primary key (shard, account_id, customer_id, mode, day)
);

-- Spend alert thresholds in percent of the spend limit, and the highest one already announced in
-- `month`. The limit itself is in account_counters, where every send reads it.
create table spend_limits (
  shard integer not null,
  account_id uuid not null,
  alert_thresholds integer[] not null,
  alerted_month date not null default '1970-01-01',
  alerted_thresholds integer[] not null default '{}',
  updated_at timestamptz not null,
  primary key (shard, account_id)
);

-- Runs when spending of the month grows (messages, codes, numbers, registrations). The update that
-- crosses the next threshold, or starts a new month, adds a job in the same transaction. The job
-- emits the alert and sets the next threshold; until then no second job is added.
create function leave_spend_alert() returns trigger language plpgsql as $$
begin
  insert into jobs (shard, id, account_id, task, payload, run_at, created_at)
  values (new.shard, gen_random_uuid(), new.account_id, 'spend_limit.tell',
          json_build_object('shard', new.shard, 'account_id', new.account_id), now(), now());
  perform pg_notify('longwave_work', 'jobs');
  new.next_alert_micros := null;
  return new;
end $$;
create trigger account_counters_spend_alert before update of spent_micros on account_counters
  for each row when (new.spend_limit_micros is not null
    and (new.spent_micros >= new.next_alert_micros or new.spent_month <> old.spent_month))
  execute function leave_spend_alert();

-- A price holds from effective_from until a newer one for the same item, country and number type, or
-- until it ends. Rows never change otherwise, so the table shows what held when.
create table prices (
  id uuid primary key,
  item text not null check (item in ('outbound', 'inbound', 'number_month', 'verification', 'registration')),
  country text check (country ~ '^[A-Z]{2}$'),
  number_type text check (number_type in ('local', 'toll_free')),
  basis text not null check (basis in ('fixed', 'carrier_cost')),
  amount_micros bigint not null check (amount_micros >= 0),
  margin_micros bigint not null check (margin_micros >= 0),
  margin_percent integer not null check (margin_percent between 0 and 1000),
  note text,
  effective_from timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  check (basis = 'carrier_cost' or (margin_micros = 0 and margin_percent = 0))
);
