-- What the installation itself is, and what its processes tell each other about the clock.

create table installation (
  only_row boolean primary key default true check (only_row),
  shards integer not null check (shards between 1 and 1024),
  root_key_check bytea not null,
  clock_offset_ms bigint not null default 0,
  -- The head of the installation's own audit log.
  audit_seq bigint not null default 0,
  audit_hash bytea not null default '\x',
  created_at timestamptz not null
);

-- Which database this is, as it was when it was last used: the cluster and the database in it, the
-- timeline of its log, and the last moment that a process told of itself. A restored one differs from
-- what is recorded here, or is older than what a machine last saw; it is held until the operator has
-- said what is to become of what waits.
create table database_home (
  only_row boolean primary key default true check (only_row),
  home text,
  timeline integer,
  beaten_at timestamptz not null default now(),
  held_since timestamptz,
  held_reason text,
  check ((held_since is null) = (held_reason is null))
);
insert into database_home default values;

-- Whoever moves the test clock holds this row's lease, so that two never move it at once.
create table clock_lease (
  only_row boolean primary key default true check (only_row),
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz
);
insert into clock_lease default values;

-- How far each process has followed the test clock. Unlogged: it is about processes that run now,
-- and no word of it costs an fsync.
create unlogged table clock_followers (
  id uuid primary key,
  offset_ms bigint not null,
  seen_at timestamptz not null
);

-- Money, events and the audit log are only ever added to; the database itself sees to it. Rows move
-- between partitions as whole rows, in transactions that say so.
create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('longwave.moves_partitions', true) = 'on' then
    return old;
  end if;
  raise exception '% is append-only.', tg_table_name;
end $$;
