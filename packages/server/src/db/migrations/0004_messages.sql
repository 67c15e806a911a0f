-- One row per text, in or out. Its id is a UUIDv7 whose time is created_at, so a list newest
-- first is a walk along an index backwards, a date filter is a bound on ids, and a lookup by id
-- touches one partition.
create table messages (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  status text not null check (status in ('queued', 'sent', 'delivered', 'failed', 'received')),
  mode text not null check (mode in ('test', 'live')),
  from_number text not null,
  to_number text not null,
  body text not null,
  encoding text not null check (encoding in ('gsm7', 'ucs2')),
  segments integer not null,
  price_micros bigint not null,
  -- What the price hangs on: nothing (free of charge), a text of the monthly allowance, money set
  -- aside, or money taken. `released` gave back what it held.
  billing text not null check (billing in ('none', 'allowance', 'reserved', 'settled', 'released')),
  simulated boolean not null,
  auto_reply boolean not null default false,
  customer_id uuid,
  pool_id uuid,
  batch_id uuid,
  batch_index integer,
  scheduled_message_id uuid,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- When the sandbox's receipt comes.
  receipt_due_at timestamptz,
  failure_code text,
  carrier_code text,
  carrier text,
  created_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  primary key (shard, id),
  check (status <> 'failed' or (failure_code is not null and failed_at is not null)),
  check (status <> 'delivered' or delivered_at is not null),
  check (status not in ('sent', 'delivered') or sent_at is not null),
  check (status = 'received' or direction = 'outbound'),
  check (receipt_due_at is null or status = 'sent')
) partition by range (id);
create table messages_default partition of messages default;

-- Status stands in every list index: a filter by it (and by direction, which follows from it)
-- then narrows the walk, and a list without it merges the five statuses. So no combination of
-- filters walks rows that it does not show.
create index messages_by_status on messages (shard, account_id, status, id desc);
create index messages_by_to on messages (shard, account_id, to_number, status, id desc);
create index messages_by_from on messages (shard, account_id, from_number, status, id desc);
create index messages_by_customer on messages (shard, account_id, customer_id, status, id desc)
  where customer_id is not null;
create index messages_by_batch on messages (shard, batch_id, batch_index) where batch_id is not null;
create index messages_due on messages (shard, next_attempt_at) where next_attempt_at is not null;
create index messages_receipt_due on messages (shard, receipt_due_at) where receipt_due_at is not null;

-- A hand-over to a carrier, committed before a byte leaves. While one is open, accepted or of
-- unknown outcome, the unique index refuses another: no text goes out twice.
create table submit_attempts (
  shard integer not null,
  account_id uuid not null,
  message_id uuid not null,
  attempt integer not null,
  carrier text not null,
  outcome text not null check (outcome in ('open', 'accepted', 'refused', 'unknown')),
  carrier_code text,
  handed_off_at timestamptz not null,
  answered_at timestamptz,
  primary key (shard, message_id, attempt)
);
create unique index submit_attempts_one_live on submit_attempts (shard, message_id)
  where outcome in ('open', 'accepted', 'unknown');

-- What a carrier calls a message (or one segment of it): receipts are matched by this. A carrier
-- may use an id again after a while, so the newest one counts.
create table carrier_references (
  shard integer not null,
  carrier text not null,
  reference text not null,
  message_id uuid not null,
  account_id uuid not null,
  segment integer not null,
  created_at timestamptz not null,
  primary key (shard, carrier, reference, message_id)
);
create index carrier_references_by_name on carrier_references (carrier, reference);

-- Receipts and inbound texts as carriers hand them over, stored before they are acknowledged. A
-- repeated one meets the unique key. Unmatched receipts wait 72 hours for their reference.
create table carrier_inbox (
  shard integer not null default 0,
  id uuid not null,
  carrier text not null,
  kind text not null check (kind in ('receipt', 'inbound')),
  dedupe_key text not null,
  reference text,
  payload json not null,
  received_at timestamptz not null,
  due_at timestamptz,
  handled_at timestamptz,
  message_id uuid,
  primary key (shard, id),
  unique (shard, carrier, kind, dedupe_key)
);
create index carrier_inbox_due on carrier_inbox (shard, due_at) where due_at is not null;
create index carrier_inbox_by_reference on carrier_inbox (shard, carrier, reference) where reference is not null;
create index carrier_inbox_by_message on carrier_inbox (shard, message_id) where message_id is not null;

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
  primary key (shard, id),
  check (status <> 'failed' or failure_code is not null),
  check (status <> 'sent' or message_id is not null)
);
create index scheduled_messages_pending on scheduled_messages (shard, account_id, scheduled_at, id)
  where status = 'pending';
create index scheduled_messages_due on scheduled_messages (shard, scheduled_at, id) where status = 'pending';
