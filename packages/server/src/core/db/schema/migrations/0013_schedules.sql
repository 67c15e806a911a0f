-- A message with a send time. At that time it becomes a row of messages.
create table scheduled_messages (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  status text not null check (status in ('pending', 'sent', 'canceled', 'failed')),
  mode text not null check (mode in ('test', 'live')),
  to_number text not null,
  sender text not null,
  body text not null,
  customer_id uuid,
  scheduled_at timestamptz not null,
  message_id uuid,
  failure_code text,
  created_at timestamptz not null,
  canceled_at timestamptz,
  -- Hours after the send time for which the message is still worth sending.
  valid_for_seconds integer,
  -- Quiet hours of its own, packed as in accounts; 0: none; null: the account's.
  quiet_hours integer,
  metadata json,
  primary key (shard, id),
  check (status <> 'failed' or failure_code is not null),
  check (status <> 'sent' or message_id is not null)
);
create index scheduled_messages_pending on scheduled_messages (shard, account_id, mode, scheduled_at, id)
  where status = 'pending';
create index scheduled_messages_due on scheduled_messages (shard, scheduled_at, id) where status = 'pending';
-- For the Twilio-compatible API, which lists scheduled messages among the others, newest first.
create index scheduled_messages_unsent on scheduled_messages (shard, account_id, mode, id desc)
  where status <> 'sent';

-- A recurring schedule: a message that repeats by a rule. `due_at` is the next step of the
-- schedules lane: the next occurrence, or now if repeated failures pause the schedule.
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
  -- The latest occurrence sent or skipped. No earlier occurrence is ever sent, whatever the clock
  -- says.
  last_at timestamptz,
  due_at timestamptz,
  -- Consecutive messages whose final status was a failure.
  failures integer not null default 0,
  -- The latest occurrence whose message failed.
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

-- Outcome of each occurrence. The primary key keeps a schedule from sending an occurrence twice.
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
