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
  -- The recurring schedule, or the run of an automation, that it belongs to.
  schedule_id uuid,
  run_id uuid,
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
  -- A text that carries a code is stored with its digits masked; they are put back as it leaves.
  verification_id uuid,
  -- From a number of the service's own: the account neither sees it nor hears of it as a message, so
  -- no list holds it.
  from_service boolean not null default false,
  -- What no carrier has taken by then fails.
  expires_at timestamptz,
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
-- filters walks rows that it does not show. `simulated` stands behind the id, where it orders nothing:
-- texts of the other kind are passed over in the index, without fetching them.
create index messages_by_status on messages (shard, account_id, status, id desc, simulated)
  where not from_service;
create index messages_by_to on messages (shard, account_id, to_number, status, id desc, simulated)
  where not from_service;
create index messages_by_from on messages (shard, account_id, from_number, status, id desc, simulated)
  where not from_service;
-- A customer's texts from or to one number: the numbers stand behind the id, where they order
-- nothing, so that texts with other numbers are passed over in the index, without fetching them.
create index messages_by_customer
  on messages (shard, account_id, customer_id, status, id desc, from_number, to_number, simulated)
  where customer_id is not null;
create index messages_by_batch on messages (shard, batch_id, batch_index) where batch_id is not null;
create index messages_due on messages (shard, next_attempt_at) where next_attempt_at is not null;
create index messages_receipt_due on messages (shard, receipt_due_at) where receipt_due_at is not null;
