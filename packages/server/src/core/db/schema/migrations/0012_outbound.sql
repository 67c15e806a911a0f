-- Submit attempts that did not simply succeed; the message itself records a pending or accepted
-- submit. `deferred`: the carrier refused for now. `unknown`: the response was lost and may still
-- arrive. `resent`: the response was lost and the message goes out once more, which only codes from
-- the service's own numbers do.
create table submit_attempts (
  shard integer not null,
  account_id uuid not null,
  message_id uuid not null,
  attempt integer not null,
  carrier text not null,
  outcome text not null check (outcome in ('accepted', 'deferred', 'refused', 'unknown', 'resent')),
  carrier_code text,
  submitted_at timestamptz not null,
  answered_at timestamptz,
  primary key (shard, message_id, attempt)
) partition by range (message_id);
create table submit_attempts_default partition of submit_attempts default;

-- Next attempts and submit deadlines of a group of messages. Usually the response arrives first and
-- nothing is left to do. The message's own due time decides, so an early or duplicate row is
-- harmless.
create table due_attempts (
  shard integer not null,
  due_at timestamptz not null,
  id uuid not null,
  message_ids uuid[] not null,
  primary key (shard, due_at, id)
);

-- Simulated receipts due for messages of one account. `events`, set only if all receipts say
-- `delivered`, has the prepared events, one per line, with a placeholder latency of 0.
create table due_receipts (
  shard integer not null,
  due_at timestamptz not null,
  id uuid not null,
  account_id uuid not null,
  message_ids uuid[] not null,
  events text,
  primary key (shard, due_at, id)
);

-- Carrier references of messages, or of single segments; receipts match by them. Carriers may reuse
-- a reference, so the newest row wins.
create table carrier_references (
  shard integer not null,
  carrier text not null,
  reference text not null,
  message_id uuid not null,
  account_id uuid not null,
  segment integer not null,
  created_at timestamptz not null,
  primary key (shard, carrier, reference, message_id)
) partition by range (message_id);
create table carrier_references_default partition of carrier_references default;
-- For messages submitted in several parts (few): the number of parts.
create index carrier_references_of_long on carrier_references (shard, message_id) where segment > 1;

-- Receipts and inbound messages as received, stored before the acknowledgement. The unique key
-- drops duplicates. Unmatched receipts wait 72 hours for their reference.
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
create index carrier_inbox_due on carrier_inbox (shard, kind, due_at) where due_at is not null;
create index carrier_inbox_by_reference on carrier_inbox (shard, carrier, reference) where reference is not null;
create index carrier_inbox_by_message on carrier_inbox (shard, message_id) where message_id is not null;
-- Inbound messages of one phone are processed in arrival order.
create index carrier_inbox_by_sender on carrier_inbox (shard, (payload ->> 'from'), id)
  where kind = 'inbound' and due_at is not null;

-- One process owns each bind, as long as it renews its lease. `state`, `since`, `in_flight` and
-- `last_error` are the owner's report for the operator.
create table carrier_binds (
  carrier text not null,
  bind integer not null,
  leased_by uuid,
  lease_epoch bigint not null,
  lease_until timestamptz,
  owner text,
  state text not null,
  since timestamptz not null,
  in_flight integer not null default 0,
  last_error text,
  -- Time of the next connection attempt while the bind is down.
  next_try_at timestamptz,
  primary key (carrier, bind)
);

-- 16-bit references of submits whose response was lost. A receipt that echoes one settles the
-- message.
create table carrier_short_references (
  carrier text not null,
  short_reference integer not null,
  our_reference text not null,
  created_at timestamptz not null,
  primary key (carrier, short_reference, our_reference)
);

-- Traffic per carrier in buckets of ten seconds, for the last hour, shown to the operator.
-- Unlogged, so a crash may lose it. Each process adds its own counts.
create unlogged table carrier_traffic (
  carrier text not null,
  at timestamptz not null,
  accepted integer not null,
  -- Receipts requested with these messages, and receipts received in this bucket.
  expected integer not null,
  receipts integer not null,
  primary key (carrier, at)
);

-- Unowned traffic per carrier: inbound messages for numbers that nobody owns or that the carrier
-- does not serve, and receipts for messages of other carriers. The items are in carrier_inbox.
create table carrier_unowned (
  carrier text not null,
  kind text not null check (kind in ('receipt', 'inbound')),
  items bigint not null,
  last_at timestamptz not null,
  last_number text,
  primary key (carrier, kind)
);

-- Outcomes of messages by hour of sending, number and carrier. The transaction that changes a
-- message's status updates the counts. A late outcome counts in the hour of the send. Updates are
-- HOT: indexed columns never change, and the fill factor leaves room on the page.
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
  -- `undelivered`: failed after a carrier accepted it. `refused`: refused by all carriers.
  undelivered integer not null default 0,
  refused integer not null default 0,
  primary key (shard, account_id, mode, hour, number, carrier)
) with (fillfactor = 50);
create index delivery_hours_by_age on delivery_hours (shard, hour);

-- Time of the last deliverability alert of an account, by scope.
create table delivery_alarms (
  shard integer not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  scope text not null check (scope in ('all', 'carrier', 'number')),
  value text not null,
  alerted_at timestamptz not null,
  primary key (shard, account_id, mode, scope, value)
);
create index delivery_alarms_by_age on delivery_alarms (shard, alerted_at);

-- Callbacks that could not be read, and receipts that matched no message, as they came. The newest
-- of each carrier are kept for seven days, to be read again after a change of the carriers file.
create table kept_callbacks (
  shard integer not null default 0,
  id uuid not null,
  carrier text not null,
  kind text not null check (kind in ('receipts', 'inbound')),
  -- Hash of the contents: a carrier repeats a callback that was refused.
  digest bytea not null,
  reason text not null,
  query text not null,
  content_type text not null,
  body bytea not null,
  -- One receipt of a callback, instead of a whole callback.
  is_item boolean not null,
  times integer not null,
  last_at timestamptz not null,
  primary key (shard, id),
  unique (shard, carrier, digest)
);
create index kept_callbacks_by_carrier on kept_callbacks (shard, carrier, id desc);

-- Cost of a message at its carrier, as the receipt names it, in millionths of its currency.
create table message_costs (
  shard integer not null,
  account_id uuid not null,
  message_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  customer_id uuid,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_micros bigint not null check (amount_micros >= 0),
  primary key (shard, account_id, message_id)
) partition by range (message_id);
create table message_costs_default partition of message_costs default;

-- Progress of polling a carrier for what it does not bring by callback. A round reads every page
-- since `round_since`; an unfinished round continues at `page`.
create table carrier_polls (
  carrier text not null,
  kind text not null check (kind in ('receipts', 'inbound')),
  page text,
  round_since timestamptz,
  round_began timestamptz,
  -- Begin of the latest whole round: everything before it was read.
  complete_until timestamptz,
  polled_at timestamptz not null,
  last_error text,
  primary key (carrier, kind)
);
