create table events (
  shard integer not null,
  account_id uuid not null,
  seq bigint not null,
  id uuid not null,
  type text not null,
  customer_id uuid,
  -- json, not jsonb: a webhook's body is byte for byte what GET /events shows.
  data json not null,
  created_at timestamptz not null,
  mode text not null,
  primary key (shard, account_id, id)
) partition by range (id);
create table events_default partition of events default;
-- Lists and long polls read the events of one mode.
create index events_by_seq on events (shard, account_id, mode, seq);
create index events_by_type on events (shard, account_id, mode, type, id);
create trigger events_rows_stay before update or delete on events
  for each row execute function refuse_change();
create trigger events_stay before truncate on events
  for each statement execute function refuse_change();
