-- Modes never mix: each list of messages walks the rows of one mode.

alter table message_statuses add column mode text not null;
alter table message_statuses drop constraint message_statuses_pkey;
alter table message_statuses add primary key (shard, account_id, mode, status, id, simulated);

drop index messages_by_to;
drop index messages_by_from;
drop index messages_by_customer;
drop index messages_by_customer_and_number;
create index messages_by_to on messages (shard, account_id, mode, to_number, direction, id, simulated)
  where not from_service;
create index messages_by_from on messages (shard, account_id, mode, from_number, direction, id, simulated)
  where not from_service;
create index messages_by_customer
  on messages (shard, account_id, mode, customer_id, direction, id, from_number, to_number, simulated)
  where customer_id is not null;
create index messages_by_customer_and_number on messages (
  shard, account_id, mode,
  hashtextextended(
    direction || case direction when 'outbound' then from_number else to_number end,
    uuid_hash_extended(customer_id, 0)
  ),
  id, simulated
) where customer_id is not null and not from_service;

drop index scheduled_messages_pending;
drop index scheduled_messages_unsent;
create index scheduled_messages_pending on scheduled_messages (shard, account_id, mode, scheduled_at, id)
  where status = 'pending';
create index scheduled_messages_unsent on scheduled_messages (shard, account_id, mode, id desc)
  where status <> 'sent';

drop index batches_by_account;
drop index batches_by_status;
create index batches_by_status on batches (shard, account_id, mode, status, id desc);

-- Lists and long polls read the events of one mode.
alter table events add column mode text not null;
drop index events_by_seq;
drop index events_by_type;
create index events_by_seq on events (shard, account_id, mode, seq);
create index events_by_type on events (shard, account_id, mode, type, id);

-- Modes whose events the endpoint receives.
alter table webhook_endpoints add column modes text[] not null default '{test,live}'
  check (cardinality(modes) > 0 and modes <@ '{test,live}');

alter table webhook_undelivered add column mode text not null;
drop index webhook_undelivered_by_account;
create index webhook_undelivered_by_account
  on webhook_undelivered (shard, account_id, mode, event_id desc, endpoint_id desc);

alter table webhook_deliveries add column mode text not null;
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
alter table webhook_deliveries add primary key (shard, account_id, mode, id);
drop index webhook_deliveries_by_endpoint;
drop index webhook_deliveries_failed;
drop index webhook_deliveries_failures;
create index webhook_deliveries_by_endpoint on webhook_deliveries (shard, account_id, mode, endpoint_id, id);
create index webhook_deliveries_failed on webhook_deliveries (shard, account_id, mode, endpoint_id, id)
  where not ok;
create index webhook_deliveries_failures on webhook_deliveries (shard, account_id, mode, id) where not ok;

-- HELP is answered a few times an hour; once an hour to people who have opted out.
alter table auto_reply_counts add column help_replies integer not null default 0;

-- Consent by origin: one ledger, with its own hash chain, per mode. A simulated phone writes the
-- sandbox's ledger; whatever the account records itself is written into both.
alter table account_counters add column sandbox_consent_seq bigint not null default 0;
alter table account_counters add column sandbox_consent_hash bytea not null
  default decode(repeat('00', 32), 'hex');

alter table consent_ledger add column mode text not null check (mode in ('test', 'live'));
alter table consent_ledger drop constraint consent_ledger_pkey;
alter table consent_ledger add primary key (shard, account_id, mode, seq);
alter table consent_ledger drop constraint consent_ledger_shard_account_id_phone_number_number_seq_key;
alter table consent_ledger add unique (shard, account_id, mode, phone_number, number_seq);

alter table consent_states add column mode text not null check (mode in ('test', 'live'));
alter table consent_states drop constraint consent_states_pkey;
alter table consent_states add primary key (shard, account_id, mode, phone_number, customer_id);
drop index consent_states_by_status;
drop index consent_states_by_customer;
create index consent_states_by_status on consent_states (shard, account_id, mode, status, first_seq desc);
create index consent_states_by_customer
  on consent_states (shard, account_id, mode, customer_id, status, first_seq desc);
