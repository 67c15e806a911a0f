-- What became of a hand-over that did not go as it should: the message itself tells of one that is
-- out, or was accepted. `deferred` is refused for now; of `unknown` the answer was lost, and may still
-- come; `resent` is an answer that was lost and is not waited for: the one text that may go out again is
-- a code from the service's own numbers, once.
create table submit_attempts (
  shard integer not null,
  account_id uuid not null,
  message_id uuid not null,
  attempt integer not null,
  carrier text not null,
  outcome text not null check (outcome in ('accepted', 'deferred', 'refused', 'unknown', 'resent')),
  carrier_code text,
  handed_off_at timestamptz not null,
  answered_at timestamptz,
  primary key (shard, message_id, attempt)
) partition by range (message_id);
create table submit_attempts_default partition of submit_attempts default;

-- Texts of one group whose next attempt, or whose decision after a hand-over without an answer, falls
-- due. Most have their answer long before: the row then finds nothing to do. The message itself says
-- when it is due, so a row that comes too early, or twice, does no harm.
create table due_attempts (
  shard integer not null,
  due_at timestamptz not null,
  id uuid not null,
  message_ids uuid[] not null,
  primary key (shard, due_at, id)
);

-- Texts of one account that the simulated network brings receipts for at one moment. Where they say
-- nothing but that the texts were delivered, `events` has what is told of each, one a line, with a
-- latency of 0 in place of the one that is known then; otherwise it is null.
create table due_receipts (
  shard integer not null,
  due_at timestamptz not null,
  id uuid not null,
  account_id uuid not null,
  message_ids uuid[] not null,
  events text,
  primary key (shard, due_at, id)
);

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
) partition by range (message_id);
create table carrier_references_default partition of carrier_references default;
-- Of the few messages that left in several parts: how many.
create index carrier_references_of_long on carrier_references (shard, message_id) where segment > 1;

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
create index carrier_inbox_due on carrier_inbox (shard, kind, due_at) where due_at is not null;
create index carrier_inbox_by_reference on carrier_inbox (shard, carrier, reference) where reference is not null;
create index carrier_inbox_by_message on carrier_inbox (shard, message_id) where message_id is not null;
-- Texts of one phone are taken in the order they came.
create index carrier_inbox_by_sender on carrier_inbox (shard, (payload ->> 'from'), id)
  where kind = 'inbound' and due_at is not null;

-- Each bind of a carrier has one owner among the processes, for as long as it renews its lease. What
-- the owner says of the link is for whoever asks.
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
  primary key (carrier, bind)
);

-- The 16-bit references of submits whose answer was lost: a receipt that echoes one tells what became
-- of the text.
create table carrier_short_references (
  carrier text not null,
  short_reference integer not null,
  our_reference text not null,
  created_at timestamptz not null,
  primary key (carrier, short_reference, our_reference)
);
