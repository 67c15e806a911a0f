-- A text that recurs by a rule. `due_at` is when the lane of schedules has something to do here: at the
-- next occurrence, or at once when texts failed so often that the schedule pauses itself.
create table schedules (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  status text not null check (status in ('active', 'paused', 'ended')),
  mode text not null check (mode in ('test', 'live')),
  to_number text not null,
  sender text not null,
  body text not null,
  rrule text,
  cron text,
  time_zone text not null,
  start_at timestamptz,
  end_at timestamptz,
  next_at timestamptz,
  -- The latest occurrence that was sent or skipped: whatever a clock says, none comes before it again.
  last_at timestamptz,
  due_at timestamptz,
  -- Texts in a row that failed, by their final status.
  failures integer not null default 0,
  -- The occurrence whose text failed last.
  failed_at timestamptz,
  pause_reason text
    check (pause_reason in ('recipient_opted_out', 'repeated_failures', 'sender_unavailable')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, id),
  check ((rrule is null) <> (cron is null)),
  check ((status = 'active') = (next_at is not null)),
  check ((due_at is not null) = (next_at is not null)),
  check (pause_reason is null or status = 'paused')
);
create index schedules_by_account on schedules (shard, account_id, id desc);
create index schedules_due on schedules (shard, due_at, id) where due_at is not null;

-- What became of each occurrence. One of a kind: a schedule never sends an occurrence twice.
create table schedule_occurrences (
  shard integer not null,
  account_id uuid not null,
  schedule_id uuid not null,
  occurrence_at timestamptz not null,
  status text not null check (status in ('sent', 'delivered', 'failed', 'skipped')),
  message_id uuid,
  failure_code text,
  carrier_code text,
  reason text check (reason in ('recipient_opted_out', 'missed')),
  created_at timestamptz not null,
  primary key (shard, schedule_id, occurrence_at),
  check (status not in ('sent', 'delivered') or message_id is not null),
  check (status <> 'failed' or failure_code is not null),
  check ((status = 'skipped') = (reason is not null))
);
create index schedule_occurrences_by_age on schedule_occurrences (shard, created_at);
create index schedule_occurrences_open on schedule_occurrences (shard, message_id) where status = 'sent';
