-- Addresses that other programs call to send messages. The key on `slot` limits their number under
-- concurrency. The secret is encrypted; an address names the hook's id alone.
create table hooks (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  slot integer not null check (slot between 1 and 20),
  mode text not null check (mode in ('test', 'live')),
  name text not null,
  preset text,
  sender text not null,
  recipients text[] not null,
  declaration jsonb not null,
  secret bytea not null,
  messages_per_minute integer not null,
  messages_per_phone_hour integer not null,
  active boolean not null,
  created_at timestamptz not null,
  primary key (shard, account_id, id),
  unique (shard, account_id, slot)
);

-- Calls of hooks with their answer, for seven days. `paths`: where a call had values, without them.
create table hook_requests (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  hook_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  status integer not null,
  error_code text,
  error_message text,
  error_param text,
  paths text[] not null,
  primary key (shard, account_id, id)
);
create index hook_requests_by_hook on hook_requests (shard, hook_id, id desc);
create index hook_requests_by_age on hook_requests (shard, id);

-- Messages of those calls, as they were understood. Rows without an error count for the hook's
-- limits; a row is written before its message is sent.
create table hook_messages (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  hook_id uuid not null,
  request_id uuid not null,
  phone text,
  body text not null,
  message_id uuid,
  error_code text,
  error_message text,
  error_param text,
  primary key (shard, account_id, id)
);
create index hook_messages_by_hook on hook_messages (shard, hook_id, id desc);
create index hook_messages_by_request on hook_messages (shard, request_id, id);
create index hook_messages_by_age on hook_messages (shard, id);
