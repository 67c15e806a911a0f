-- The texts of a customer with one of the account's own numbers, of which either may have texts without
-- end and both together none. On each way by itself: on the way out its own number is the one a text is
-- from, on the way in the one it is to.
--
-- As a hash, because a list that names both is to be walked along this index and no other, also when it is
-- planned while the table is empty; what has the same hash by chance is told apart by the row.
--
-- On the table alone: each month's is built beside the writers after the migrations (db/indexes.ts).
create index messages_by_customer_and_number on only messages (
  shard, account_id,
  hashtextextended(
    direction || case direction when 'outbound' then from_number else to_number end,
    uuid_hash_extended(customer_id, 0)
  ),
  id, simulated
) where customer_id is not null and not from_service;
