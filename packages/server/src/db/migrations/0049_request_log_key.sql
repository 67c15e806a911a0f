-- Every request that was written went into two indexes, one of them only for what is forgotten after a week:
-- that is now found account by account, along the key.
drop index request_log_by_age;
