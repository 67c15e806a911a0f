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
