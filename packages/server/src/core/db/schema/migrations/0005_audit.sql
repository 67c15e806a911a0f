-- Audit log of each account. Changes of the installation have shard 0 and an account_id of zeros.
create table audit_log (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  seq bigint not null,
  action text not null,
  actor_type text not null,
  actor_id text,
  actor_name text,
  target_type text not null,
  target_id text not null,
  changes json not null,
  ip text,
  created_at timestamptz not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (shard, id)
) partition by range (id);
create table audit_log_default partition of audit_log default;
create index audit_log_by_account on audit_log (shard, account_id, id desc);
create index audit_log_by_action on audit_log (shard, account_id, action, id desc);
create index audit_log_by_actor on audit_log (shard, account_id, actor_id, id desc);
create index audit_log_by_target on audit_log (shard, account_id, target_id, id desc);
create index audit_log_by_seq on audit_log (shard, account_id, seq);
create trigger audit_log_rows_stay before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_stays before truncate on audit_log
  for each statement execute function refuse_change();
