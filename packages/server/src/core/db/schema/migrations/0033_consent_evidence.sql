-- Evidence and end of consent, and accounts and topics that need an opt-in.

alter table consent_ledger
  add column basis text check (basis in ('express', 'implied_inquiry', 'implied_purchase')),
  add column expires_at timestamptz,
  -- Disclosure, page, IP address, user agent, form version and time, as the account collected them.
  add column evidence json;

alter table consent_states
  add column basis text check (basis in ('express', 'implied_inquiry', 'implied_purchase')),
  -- End of implied consent; null: no end.
  add column expires_at timestamptz;

alter table accounts add column opt_in_required boolean not null default false;
alter table topics add column opt_in_required boolean not null default false;
