-- The account's own services: what it has set for itself, and what is counted for it.

-- At which percentages of its spend limit an account is told, and which of them it has been told of
-- in the month given. The limit itself stands with the money, where every send reads it.
create table spend_limits (
  shard integer not null,
  account_id uuid not null,
  alert_thresholds integer[] not null,
  told_month date not null default '1970-01-01',
  told_thresholds integer[] not null default '{}',
  updated_at timestamptz not null,
  primary key (shard, account_id)
);

-- Whatever adds to the month's spending (texts, codes, numbers, registrations) passes through one row.
-- The update that takes it past the next threshold, or into a new month, leaves a job in the same
-- transaction; the job tells of it and says what comes next. Until then no second one is left.
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

-- What became of the texts that left in an hour, by number and carrier: added to by whatever moves the
-- texts, so that nobody has to count them. An outcome that comes later counts in the hour its text was
-- sent. Nothing that an index holds changes, and pages have room: an update stays where its row is.
create table delivery_hours (
  shard integer not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  hour timestamptz not null,
  number text not null,
  -- Empty in the sandbox, where there is none.
  carrier text not null,
  sent integer not null default 0,
  delivered integer not null default 0,
  -- Failed after a carrier had taken them, and refused by all carriers.
  undelivered integer not null default 0,
  refused integer not null default 0,
  primary key (shard, account_id, mode, hour, number, carrier)
) with (fillfactor = 50);
create index delivery_hours_by_age on delivery_hours (shard, hour);

-- When an account was last told that less of its traffic arrives, by what it concerned.
create table delivery_alarms (
  shard integer not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  scope text not null check (scope in ('all', 'carrier', 'number')),
  value text not null,
  told_at timestamptz not null,
  primary key (shard, account_id, mode, scope, value)
);
create index delivery_alarms_by_age on delivery_alarms (shard, told_at);

-- What an account said of itself when it asked for live access; the newest request replaces the others.
create table live_access_requests (
  shard integer not null,
  account_id uuid not null,
  company text not null,
  website text not null,
  use_case text not null,
  monthly_volume integer not null,
  requested_at timestamptz not null,
  primary key (shard, account_id)
);
