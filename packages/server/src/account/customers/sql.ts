import { statement } from "../../core/db/driver/statement.ts";

const CUSTOMER_COLUMNS = "id, name, external_id, metadata, created_at, updated_at";

export const findCustomerRow = statement(
  "find_customer",
  `select ${CUSTOMER_COLUMNS} from customers where shard = $1 and account_id = $2 and id = $3`,
);

export const findCustomerIds = statement(
  "find_customer_ids",
  "select id from customers where shard = $1 and account_id = $2 and id = any($3::uuid[])",
);

/** Locks the customer against deletion until commit. */
export const lockCustomerRowShared = statement(
  "lock_customer_shared",
  `select ${CUSTOMER_COLUMNS} from customers where shard = $1 and account_id = $2 and id = $3
   for key share`,
);

export const lockCustomerRow = statement(
  "lock_customer",
  `select ${CUSTOMER_COLUMNS} from customers where shard = $1 and account_id = $2 and id = $3
   for update`,
);

// Returns no row when another customer has this external_id.
export const insertCustomer = statement(
  "insert_customer",
  `insert into customers (shard, account_id, id, name, external_id, metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)
   on conflict (shard, account_id, external_id) where external_id is not null do nothing
   returning ${CUSTOMER_COLUMNS}`,
);

export const updateCustomer = statement(
  "update_customer",
  `update customers set name = $4, external_id = $5, metadata = $6, updated_at = $7
    where shard = $1 and account_id = $2 and id = $3
   returning ${CUSTOMER_COLUMNS}`,
);

/** The customer of this id, also if it was deleted. */
export const findCustomerOrDeleted = statement(
  "find_customer_or_deleted",
  `select 1 as known from customers where shard = $1 and account_id = $2 and id = $3
   union all
   select 1 from deleted_customers where shard = $1 and account_id = $2 and id = $3
   limit 1`,
);

export const rememberDeleted = statement(
  "remember_deleted_customer",
  "insert into deleted_customers (shard, account_id, id, deleted_at) values ($1, $2, $3, $4)",
);

export const deleteCustomer = statement(
  "delete_customer",
  "delete from customers where shard = $1 and account_id = $2 and id = $3",
);
