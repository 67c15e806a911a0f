-- People, what they are grouped by, and what they subscribe to.

-- Subscriptions are kept by phone number, like consent: they outlive a contact that is deleted and
-- hold for numbers that never were one.
create table topics (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  default_subscribed boolean not null,
  created_at timestamptz not null,
  -- A deleted topic's row stays: batches that were made with it still heed its subscriptions.
  deleted_at timestamptz,
  primary key (shard, account_id, id)
);

create table topic_subscriptions (
  shard integer not null,
  account_id uuid not null,
  topic_id uuid not null,
  phone_number text not null,
  -- Orders the list by when a number first chose, which never changes.
  id uuid not null,
  subscribed boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, topic_id, phone_number)
);
create index topic_subscriptions_newest on topic_subscriptions (shard, account_id, topic_id, id desc);

-- One contact per phone number and account. The folded columns hold the same text in lower case,
-- as the server folds it: a comparison then is the same in every locale of a database. They are
-- null where it is the same text. What segments read of every contact stands first and is never
-- null: PostgreSQL finds such columns without walking through a row.
create table contacts (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  phone_number text not null,
  -- The tags in lower case, with a line break before and after each.
  tag_lines text not null,
  -- As they were given; null where that is in lower case.
  tags text[],
  opt_in_at timestamptz,
  opt_in_status boolean,
  folded_name text,
  folded_email text,
  folded_company text,
  folded_attributes jsonb,
  name text,
  email text,
  company text,
  attributes jsonb,
  opt_in_source text,
  primary key (shard, account_id, id),
  unique (shard, account_id, phone_number)
);

-- What contacts are found by: a row for up to sixteen contacts whose ids differ in their last digit
-- only, which is 0 in first_id. `text` has four lines for each of them, in lower case: name, email
-- address, company and digits. `terms` has a number for everything that the index finds them by,
-- with the account mixed in, so that the index of all accounts is as good as one of each. Sixteen
-- people together have few more terms than one of them, and every term is an entry of the index to
-- be written; what is found is compared with the contacts themselves.
create table contact_search (
  shard integer not null,
  account_id uuid not null,
  first_id uuid not null,
  text text not null,
  terms integer[] not null,
  primary key (shard, account_id, first_id)
);
create index contact_search_terms on contact_search using gin (terms)
  with (fastupdate = on, gin_pending_list_limit = 2048);

create table contact_imports (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text,
  requests integer not null,
  created integer not null,
  updated integer not null,
  skipped integer not null,
  opted_out integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, id)
);

-- What a connected service said about phone numbers, for all accounts: a directory by number.
create table lookup_findings (
  phone_number text primary key,
  line_type text not null,
  carrier text,
  ported boolean,
  source text not null,
  checked_at timestamptz not null
);
create index lookup_findings_by_age on lookup_findings (checked_at);

create table segments (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  -- As it was given; it is read again whenever the segment is used.
  filter json not null,
  created_at timestamptz not null,
  primary key (shard, account_id, id)
);
