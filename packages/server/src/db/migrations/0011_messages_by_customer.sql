-- A customer's texts from or to one number: the numbers stand behind the id, where they order
-- nothing, so that texts with other numbers are passed over in the index, without fetching them.
drop index messages_by_customer;
create index messages_by_customer
  on messages (shard, account_id, customer_id, status, id desc, from_number, to_number)
  where customer_id is not null;
