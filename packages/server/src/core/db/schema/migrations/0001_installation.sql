-- The installation's settings, its database identity, and the state of the test clock.

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

-- Identity of this database at its last use: cluster and database, timeline of the WAL, latest
-- heartbeat of any process. A restored database has another identity, or a heartbeat older than the
-- one that a machine has recorded. The restore guard (held_since) then stops all sending until the
-- operator releases it.
create table database_identity (
  only_row boolean primary key default true check (only_row),
  home text,
  timeline integer,
  heartbeat_at timestamptz not null default now(),
  held_since timestamptz,
  held_reason text,
  check ((held_since is null) = (held_reason is null))
);
insert into database_identity default values;

-- Lease for moving the test clock: one process moves it at a time.
create table clock_lease (
  only_row boolean primary key default true check (only_row),
  leased_by uuid,
  lease_epoch bigint,
  lease_until timestamptz
);
insert into clock_lease default values;

-- How far each process has followed the test clock. Unlogged: only running processes matter, and no
-- write costs an fsync.
create unlogged table clock_followers (
  id uuid primary key,
  offset_ms bigint not null,
  seen_at timestamptz not null
);

-- Refuses updates and deletions on append-only tables: money, events, consent, audit log. Two kinds
-- of transactions may delete rows, and say so in a setting: those that move rows between partitions
-- (longwave.moves_partitions), and those that erase a deleted account (longwave.erases_account).
-- Only the owner of the tables may delete from them at all.
create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and 'on' in (
    current_setting('longwave.moves_partitions', true),
    current_setting('longwave.erases_account', true)
  ) then
    return old;
  end if;
  raise exception '% is append-only.', tg_table_name;
end $$;
