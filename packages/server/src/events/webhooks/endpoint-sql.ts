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

export interface FailingEndpoint {
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly mode: string;
}

/** Newest undelivered events that are searched; more only name the same endpoints. */
const UNDELIVERED_SEARCHED_MAX = 10_000;

/** Endpoints with an event whose last attempt failed since $3, among the events from id $2 on. */
export const listFailing = statement(
  "list_failing_webhook_endpoints",
  `select distinct on (e.id) u.account_id, u.endpoint_id, e.url, u.mode
     from (select account_id, endpoint_id, mode, last_attempt_at from webhook_undelivered
            where shard = $1 and event_id >= $2 order by event_id desc limit ${UNDELIVERED_SEARCHED_MAX}) u
     join webhook_endpoints e on e.shard = $1 and e.account_id = u.account_id and e.id = u.endpoint_id
    where u.last_attempt_at >= $3 and e.active order by e.id`,
  { profile: "scans" },
);
