-- A registration whose campaign is approved elsewhere is submitted and approved without a check of its website.
alter table registrations drop constraint registrations_check1;
alter table registrations add constraint registrations_checked
  check (status not in ('checks_failed', 'ready') or website_check is not null);
