-- Progress of polling a carrier for what it does not bring by callback. A round reads every page
-- since `round_since`; `page` is where an unfinished round goes on.
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
