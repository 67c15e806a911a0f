-- Metadata: strings of the client's own, stored and returned unchanged. Null without any.

alter table messages add column metadata json;
alter table scheduled_messages add column metadata json;
alter table batches add column metadata json;
alter table batch_recipients add column metadata json;
alter table verifications add column metadata json;
alter table contacts add column metadata json;

-- Finds messages by metadata, newest first: one row per key and value of a message, which stand here
-- as a hash. The list compares the message's own metadata, because hashes collide.
create table message_metadata (
  shard integer not null,
  account_id uuid not null,
  mode text not null,
  pair_hash bigint not null,
  id uuid not null,
  primary key (shard, account_id, mode, pair_hash, id)
) partition by range (id);
create table message_metadata_default partition of message_metadata default;
