-- A failed attempt names its reason.
alter table webhook_deliveries drop constraint webhook_deliveries_error_check;
alter table webhook_deliveries add constraint webhook_deliveries_error_check
  check (error in ('timeout', 'refused', 'dns', 'tls', 'blocked', 'unreachable'));
