-- One row per text, in or out. Its id is a UUIDv7 whose time is created_at, so a list newest
-- first is a walk along an index backwards, a date filter is a bound on ids, and a lookup by id
-- touches one partition.
--
-- A text changes once or twice soon after it was written, and what changes (status, attempts, due
-- times) stands in no index and in no index's predicate: the new version of the row is written beside
-- the old one, on a page with room for it, and no index hears of it (a HOT update). What falls due is a
-- row of its own: see due_receipts and due_attempts. What has each status: see message_statuses.
--
-- That a row is whole (its status is one of the machine's, a text that failed says why, one that was
-- sent says when) is what the functions of 0025 write; tests look at the rows that they leave behind. A
-- CHECK is read and set up anew by every statement, which takes longer than writing a text.
create table messages (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  direction text not null,
  status text not null,
  mode text not null,
  from_number text not null,
  to_number text not null,
  body text not null,
  encoding text not null,
  segments integer not null,
  price_micros bigint not null,
  -- What the price hangs on: nothing (free of charge), a text of the monthly allowance, money set
  -- aside, or money taken. `released` gave back what it held.
  billing text not null,
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
  -- Handed to its carrier, which has not answered yet: while this is so it is not handed over again.
  -- It is committed before a byte leaves, by the statement that accepts the text or counts its next
  -- attempt.
  is_out boolean not null default false,
  handed_at timestamptz,
  next_attempt_at timestamptz,
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
  -- The quiet hours that hold for it, as accounts keep them.
  quiet_hours integer,
  primary key (shard, id)
) partition by range (id);
create table messages_default partition of messages default with (fillfactor = 50);

-- The walks of lists that name a number or a customer, newest first: backwards, because entries that are
-- always added at the end of their kind fill a page before the next one is begun. A text is the phone's on one way and the
-- account's own on the other, so its direction, which never changes, narrows the walk. `simulated`
-- stands behind the id, where it orders nothing: texts of the other kind are passed over in the index,
-- without fetching them.
create index messages_by_to on messages (shard, account_id, to_number, direction, id, simulated)
  where not from_service;
create index messages_by_from on messages (shard, account_id, from_number, direction, id, simulated)
  where not from_service;
-- A customer's texts from or to one number: the numbers stand behind the id, where they order
-- nothing, so that texts with other numbers are passed over in the index, without fetching them.
create index messages_by_customer
  on messages (shard, account_id, customer_id, direction, id, from_number, to_number, simulated)
  where customer_id is not null;
create index messages_by_batch on messages (shard, batch_id, batch_index) where batch_id is not null;

-- Which texts of an account have each status: what a list by status walks, and one without it merges.
-- Texts from the service's own numbers are not here. A row moves with its message, in the same
-- statement's transaction.
create table message_statuses (
  shard integer not null,
  account_id uuid not null,
  status text not null,
  id uuid not null,
  simulated boolean not null,
  primary key (shard, account_id, status, id, simulated)
) partition by range (id);
create table message_statuses_default partition of message_statuses default;
