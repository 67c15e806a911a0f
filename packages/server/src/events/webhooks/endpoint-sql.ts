import { statement } from "../../core/db/driver/statement.ts";

const ENDPOINT_COLUMNS = "id, url, events, modes, active, description, secret, created_at";

/** Locks the account while an endpoint is created; transactions that append events wait for the commit, too. */
export const lockAccountCounters = statement(
  "lock_webhook_account",
  "select 1 as locked from account_counters where shard = $1 and account_id = $2 for update",
);

// The lowest free slot. Returns no row when none is free.
export const insertEndpoint = statement(
  "insert_webhook_endpoint",
  `insert into webhook_endpoints
     (shard, account_id, id, slot, url, events, active, description, secret, created_at, modes)
   select $1, $2, $3, s.slot, $4, $5, true, $6, $7, $8, $10
     from generate_series(1, $9::int) as s (slot)
    where not exists (
      select 1 from webhook_endpoints w where w.shard = $1 and w.account_id = $2 and w.slot = s.slot)
    order by s.slot limit 1
   returning ${ENDPOINT_COLUMNS}`,
);

export const findEndpointRow = statement(
  "find_webhook_endpoint",
  `select ${ENDPOINT_COLUMNS} from webhook_endpoints
    where shard = $1 and account_id = $2 and id = $3 and slot > 0`,
);

export const findEndpointUrls = statement(
  "find_webhook_endpoint_urls",
  "select url from webhook_endpoints where shard = $1 and account_id = $2 and slot > 0",
);

export const lockEndpointRow = statement(
  "lock_webhook_endpoint",
  `select ${ENDPOINT_COLUMNS} from webhook_endpoints
    where shard = $1 and account_id = $2 and id = $3 and slot > 0 for update`,
);

export const updateEndpoint = statement(
  "update_webhook_endpoint",
  `update webhook_endpoints set url = $4, events = $5, active = $6, description = $7, modes = $8
    where shard = $1 and account_id = $2 and id = $3
   returning ${ENDPOINT_COLUMNS}`,
);

export const updateSecret = statement(
  "update_webhook_secret",
  `update webhook_endpoints set secret = $4
    where shard = $1 and account_id = $2 and id = $3
   returning ${ENDPOINT_COLUMNS}`,
);

export const deleteEndpoint = statement(
  "delete_webhook_endpoint",
  "delete from webhook_endpoints where shard = $1 and account_id = $2 and id = $3",
);

/** Whether an account has an active endpoint. */
export const hasActiveEndpoint = statement(
  "has_active_webhook_endpoint",
  `select exists (
     select 1 from accounts a
       join webhook_endpoints w on w.shard = a.shard and w.account_id = a.id
      where a.id = $1 and w.active) as has_endpoint`,
  { acrossShards: "a NOTIFY names the account alone" },
);
