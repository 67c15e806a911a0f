-- An import from another provider can be stopped by whoever started it.
alter table account_imports drop constraint account_imports_status_check;
alter table account_imports add constraint account_imports_status_check
  check (status in ('running', 'complete', 'failed', 'canceled'));

-- When a link that is down is tried again, as its owner says.
alter table carrier_binds add column next_try_at timestamptz;

-- What went over the links in steps of ten seconds, for the last hour: for whoever runs the service to look at, so it
-- may be lost with a crash. Each process adds what it has counted.
create unlogged table carrier_traffic (
  carrier text not null,
  at timestamptz not null,
  accepted integer not null,
  -- Receipts that were asked for with these texts, and receipts that came in this time.
  expected integer not null,
  receipts integer not null,
  primary key (carrier, at)
);
