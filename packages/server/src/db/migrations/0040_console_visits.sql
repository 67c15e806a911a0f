-- An operator who looks into an account that is not theirs does so for one session, as a viewer.
alter table console_sessions add column visited_account_id uuid references accounts (id);
-- Links for a new password are counted by the person, and end with their password.
create index console_links_by_user on console_links (user_id, created_at desc);

-- The request log grows faster than anything, and its statements follow its key whatever is in it: to
-- analyse and vacuum it every few seconds cost more than to write it.
alter table request_log set (
  autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 10000, autovacuum_vacuum_insert_threshold = -1
);
