-- Carriers suspend approved campaigns, and campaigns that nobody renews expire.
alter table registrations drop constraint registrations_status_check;
alter table registrations add constraint registrations_status_check
  check (status in ('draft', 'checks_failed', 'ready', 'submitted', 'in_review', 'approved', 'suspended', 'expired',
                    'rejected'));
alter table registrations drop constraint registrations_check;
alter table registrations add constraint registrations_reason_check
  check (status not in ('rejected', 'suspended', 'expired') or rejection is not null);
