-- Problems and decisions that were mailed to people, each once. `subject` names the occurrence.
create table console_notices (
  kind text not null check (kind in ('registration_decided', 'live_access_requested', 'carrier_down', 'spend_threshold', 'webhook_failing')),
  subject text not null,
  noticed_at timestamptz not null,
  primary key (kind, subject)
);
-- False for a person who wants no mail about problems.
alter table users add column mail_notices boolean not null default true;
