-- Contacts, segments and topics.

-- Subscriptions belong to phone numbers, like consent: they outlive a deleted contact and exist
-- without one.
create table topics (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  default_subscribed boolean not null,
  created_at timestamptz not null,
  -- A deleted topic's row stays: batches made with it still respect its subscriptions.
  deleted_at timestamptz,
  opt_in_required boolean not null default false,
  primary key (shard, account_id, id)
);

create table topic_subscriptions (
  shard integer not null,
  account_id uuid not null,
  topic_id uuid not null,
  phone_number text not null,
  -- Time of the first choice, which never changes: orders the list.
  id uuid not null,
  subscribed boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (shard, account_id, topic_id, phone_number)
);
create index topic_subscriptions_newest on topic_subscriptions (shard, account_id, topic_id, id desc);

-- One contact per phone number and account. Folded columns are the lower-case form, folded by the
-- server so that comparisons do not depend on the database's locale; null if equal to the original.
-- Columns that segments read for every contact come first and are never null: PostgreSQL then reads
-- them at fixed offsets.
create table contacts (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  phone_number text not null,
  -- Tags in lower case, with a line break before and after each.
  tag_lines text not null,
  -- Tags as given; null if already in lower case.
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
  metadata json,
  primary key (shard, account_id, id),
  unique (shard, account_id, phone_number)
);

-- Search rows: each covers up to 16 contacts whose ids differ in the last hex digit only (0 in
-- first_id). `text` has four lower-case lines per contact: name, email address, company, digits.
-- `terms` has an integer per pair of letters, group of three digits and tag, mixed with bits of the
-- account, so that accounts share no postings. Every term costs an index entry, and sixteen
-- contacts have few more terms than one.
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

create table segments (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text not null,
  -- As given by the client; parsed again on every use of the segment.
  filter json not null,
  created_at timestamptz not null,
  primary key (shard, account_id, id)
);
