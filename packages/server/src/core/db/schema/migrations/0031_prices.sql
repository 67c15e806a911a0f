-- Prices of the installation, and accounts that follow its daily quota.

-- A price holds from effective_from until a newer one for the same item, country and number type, or
-- until it ends. Rows never change otherwise, so the table shows what held when.
create table prices (
  id uuid primary key,
  item text not null check (item in ('outbound', 'inbound', 'number_month', 'verification', 'registration')),
  country text check (country ~ '^[A-Z]{2}$'),
  number_type text check (number_type in ('local', 'toll_free')),
  basis text not null check (basis in ('fixed', 'carrier_cost')),
  amount_micros bigint not null check (amount_micros >= 0),
  margin_micros bigint not null check (margin_micros >= 0),
  margin_percent integer not null check (margin_percent between 0 and 1000),
  note text,
  effective_from timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  check (basis = 'carrier_cost' or (margin_micros = 0 and margin_percent = 0))
);

-- null: the default of the installation.
alter table accounts alter column daily_message_quota drop not null;
update accounts set daily_message_quota = null where daily_message_quota = 2000;

-- A verification's cost is its price at the time of the check.
alter table verifications add column price_micros bigint not null default 0;
update verifications set price_micros = 25000 where charged;
