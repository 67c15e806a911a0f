-- Decisions are listed by account and found by the verification's own note of its last one: two
-- indexes do what five did.
drop index verification_decisions_by_account;
drop index verification_decisions_by_verification;
alter table verifications add column decision_id uuid;
update verifications v set decision_id =
  (select d.id from verification_decisions d
    where d.shard = v.shard and d.verification_id = v.id order by d.id desc limit 1);
alter table verification_decisions drop constraint verification_decisions_pkey;
alter table verification_decisions add primary key (shard, account_id, mode, id);

-- Prefixes are read as a range: the blocks of an exchange stand side by side.
alter table verification_counters alter column key type text collate "C";

-- What conversion is judged by; test numbers are left out.
alter table verification_hours add column judged integer not null default 0;
alter table verification_hours add column answered integer not null default 0;
update verification_hours set judged = started, answered = approved;

-- Wrong codes in a row before the newest verification.
alter table verification_phones add column failures integer not null default 0;

-- When a phone was last texted codes for real, whoever asked for them.
create table verification_targets (
  shard integer not null default 0,
  phone text not null,
  sent_at_ms bigint[] not null,
  updated_at timestamptz not null,
  primary key (shard, phone)
);
create index verification_targets_by_age on verification_targets (shard, updated_at);
