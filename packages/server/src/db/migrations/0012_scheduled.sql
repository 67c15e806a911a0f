-- A text that is to leave at a time of its own. What comes of it is a message.
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
  -- How long after its time it is worth sending.
  valid_for_seconds integer,
  -- Its own quiet hours, as accounts keep them; 0: none; null: those of the account.
  quiet_hours integer,
  primary key (shard, id),
  check (status <> 'failed' or failure_code is not null),
  check (status <> 'sent' or message_id is not null)
);
create index scheduled_messages_pending on scheduled_messages (shard, account_id, scheduled_at, id)
  where status = 'pending';
create index scheduled_messages_due on scheduled_messages (shard, scheduled_at, id) where status = 'pending';
