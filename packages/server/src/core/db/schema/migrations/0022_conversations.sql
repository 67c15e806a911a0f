-- The inbox: one conversation per account, mode and person who has written.
--
-- Receiving a message updates the row in the transaction that stores the message, under the
-- account's lock. Sending does not: whether somebody replied is read from messages, so that sends
-- write nothing more.
create table conversations (
  shard integer not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  phone_number text not null,
  -- Newest received message. Orders the list.
  last_received_id uuid not null,
  -- The account's number that the person texted last, and all numbers that they texted.
  last_number text not null,
  numbers text[] not null,
  received integer not null,
  unread integer not null,
  -- Newest received message that asks for a reply; null: none does.
  awaiting_id uuid,
  assignee_id uuid,
  created_at timestamptz not null,
  closed_at timestamptz,
  primary key (shard, account_id, mode, phone_number)
);
create index conversations_newest on conversations (shard, account_id, mode, last_received_id desc);
-- For counts, and for lists of what is left to do.
create index conversations_pending on conversations (shard, account_id, mode, last_received_id desc)
  where closed_at is null and (unread > 0 or awaiting_id is not null);

create table conversation_notes (
  shard integer not null,
  account_id uuid not null,
  mode text not null check (mode in ('test', 'live')),
  phone_number text not null,
  id uuid not null,
  body text not null,
  -- API id and name of the member or key that wrote the note.
  author_id text not null,
  author_name text,
  created_at timestamptz not null,
  primary key (shard, account_id, mode, phone_number, id)
);

-- Saved replies.
create table snippets (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  -- The name in comparison form.
  folded_name text not null,
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, id),
  unique (shard, account_id, folded_name)
);
