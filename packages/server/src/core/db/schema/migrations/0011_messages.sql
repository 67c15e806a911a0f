-- One row per message, outbound or inbound. Its id is a UUIDv7 whose time is created_at: a list
-- newest first is a backward index scan, a date filter is a bound on ids, and a lookup by id
-- touches one partition.
--
-- Updates are HOT: a message changes once or twice soon after the insert, and no changing column
-- (status, attempts, due times) is part of an index or an index predicate. Due work has rows of its
-- own, see due_receipts and due_attempts. Lists by status use message_statuses.
--
-- No CHECK constraints: PostgreSQL sets them up again for every statement, which takes longer than
-- writing a message. The database functions keep rows consistent (known status, failure code of a
-- failed message, send time of a sent one), and tests verify the rows they write.
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
  -- Funding of the price: none (free), monthly allowance, reserved money, or debited money.
  -- `released` returned the reservation.
  billing text not null,
  simulated boolean not null,
  auto_reply boolean not null default false,
  customer_id uuid,
  pool_id uuid,
  batch_id uuid,
  batch_index integer,
  scheduled_message_id uuid,
  -- The recurring schedule, or the automation run, that the message belongs to.
  schedule_id uuid,
  run_id uuid,
  attempts integer not null default 0,
  -- True while a submit awaits the carrier's response; prevents a second submit. Committed before
  -- the first byte leaves, by the statement that accepts the message or counts its next attempt.
  awaiting_carrier boolean not null default false,
  submitted_at timestamptz,
  next_attempt_at timestamptz,
  failure_code text,
  carrier_code text,
  carrier text,
  created_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  -- Set for a message with a verification code: `body` has the digits masked, and the submit
  -- restores them.
  verification_id uuid,
  -- Sent from one of the service's own numbers: not a message of the account, so no list shows it.
  from_service boolean not null default false,
  -- A message that no carrier accepted by then fails.
  expires_at timestamptz,
  -- Quiet hours of the message, packed as in accounts.
  quiet_hours integer,
  -- Strings of the client's own, returned unchanged; null without any.
  metadata json,
  primary key (shard, id)
) partition by range (id);
create table messages_default partition of messages default with (fillfactor = 50);

-- For lists by number or customer, newest first. Lists scan backwards, because an index that grows
-- at its end fills each page before the next. `direction` (immutable) separates messages to a phone
-- from messages to the account's own number. `simulated` follows the id, so it does not affect the
-- order: the scan filters simulated messages without fetching rows. Modes never mix: each list walks
-- the rows of one mode.
create index messages_by_to on messages (shard, account_id, mode, to_number, direction, id, simulated)
  where not from_service;
create index messages_by_from on messages (shard, account_id, mode, from_number, direction, id, simulated)
  where not from_service;
-- A customer's messages from or to one number. The numbers follow the id, so they do not affect the
-- order: the scan filters other numbers without fetching rows.
create index messages_by_customer
  on messages (shard, account_id, mode, customer_id, direction, id, from_number, to_number, simulated)
  where customer_id is not null;
-- A customer's messages with one of the account's own numbers: customer and number may each have
-- many messages, and hardly any in common. Outbound, the own number is from_number; inbound,
-- to_number.
--
-- A hash of both, so that only this index fits a list by both, even if the plan was made while the
-- table was empty. The statement compares the columns as well, because hashes collide.
create index messages_by_customer_and_number on messages (
  shard, account_id, mode,
  hashtextextended(
    direction || case direction when 'outbound' then from_number else to_number end,
    uuid_hash_extended(customer_id, 0)
  ),
  id, simulated
) where customer_id is not null and not from_service;
create index messages_by_batch on messages (shard, batch_id, batch_index) where batch_id is not null;

-- Messages of an account by status: a list by status scans this table, a list without status merges
-- all of them. Excludes messages from the service's own numbers. The transaction that changes a
-- message's status moves the row.
create table message_statuses (
  shard integer not null,
  account_id uuid not null,
  status text not null,
  id uuid not null,
  simulated boolean not null,
  mode text not null,
  primary key (shard, account_id, mode, status, id, simulated)
) partition by range (id);
create table message_statuses_default partition of message_statuses default;

-- Finds messages by metadata, newest first: one row per key and value of a message, stored
-- as a hash. The list compares the message's own metadata, because hashes collide.
create table message_metadata (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  pair_hash bigint not null,
  id uuid not null,
  primary key (shard, account_id, mode, pair_hash, id)
) partition by range (id);
create table message_metadata_default partition of message_metadata default;
