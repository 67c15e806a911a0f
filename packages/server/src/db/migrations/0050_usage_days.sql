-- What days that are over brought an account, or one of its customers, as it was counted once: usage is
-- asked for again and again, and an account may have a million texts. Nothing of such a day changes any
-- more: a text's price does only while it waits to be sent, and days with such texts are not kept here.
create table usage_days (
  shard integer not null,
  account_id uuid not null,
  -- All zeros: the whole account.
  customer_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  -- Of UTC.
  day date not null,
  outbound integer not null,
  outbound_micros bigint not null,
  inbound integer not null,
  inbound_micros bigint not null,
  primary key (shard, account_id, customer_id, mode, day)
);
