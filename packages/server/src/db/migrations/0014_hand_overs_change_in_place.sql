-- That a hand-over was accepted is written to its row alone: while it is not refused, nothing that
-- an index holds changes, and each page has room for the row as it will be.
alter table submit_attempts add column is_over boolean generated always as (outcome = 'refused') stored;
drop index submit_attempts_one_live;
create unique index submit_attempts_one_live on submit_attempts (shard, message_id) where not is_over;
alter table submit_attempts set (fillfactor = 60);
