-- A choice of filters and columns that a person keeps under a name, for one list of one account. It goes
-- with the membership. Like the people themselves these carry no shard.
create table console_views (
  id uuid primary key,
  account_id uuid not null,
  user_id uuid not null,
  page text not null,
  name text not null,
  -- The address behind the `?`: what it means, the list's page knows.
  query text not null,
  created_at timestamptz not null,
  unique (account_id, user_id, page, name),
  foreign key (account_id, user_id) references memberships (account_id, user_id) on delete cascade
);
create index console_views_by_user on console_views (user_id);
