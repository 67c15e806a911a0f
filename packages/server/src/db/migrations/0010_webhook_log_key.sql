-- The log is read by account, and its rows are written by the thousand each second: one index for
-- the key and for the list of an account in place of two.
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
alter table webhook_deliveries add primary key (shard, account_id, id);
drop index webhook_deliveries_by_account;
