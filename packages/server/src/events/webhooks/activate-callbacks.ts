import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { CALLBACKS_URL } from "./deliver.ts";

/** Events that a callback URL can receive. */
const CALLBACK_EVENTS = ["message.sent", "message.delivered", "message.failed", "message.received"];

/**
 * An account's callbacks are one hidden webhook endpoint: its deliveries are stored, retried and logged like
 * all others. The first callback URL makes it. It has no secret: the auth token of their mode signs callbacks.
 */
const makeEndpoint = statement(
  "make_callback_endpoint",
  `insert into webhook_endpoints
     (shard, account_id, id, slot, url, events, active, description, secret, created_at)
   values ($1, $2, $3, 0, $4, $5, true, null, ''::bytea, $6)
   on conflict (shard, account_id, slot) do update set active = true
     where not webhook_endpoints.active`,
);

/** From now on, the account's events are checked for callbacks. */
export async function activateCallbacks(
  deps: Base,
  db: Queryable,
  { shard, id: accountId }: AccountRow,
): Promise<void> {
  const now = deps.clock.now();
  const values = [shard, accountId, deps.ids.makeAt(now), CALLBACKS_URL, CALLBACK_EVENTS];
  await db.query(makeEndpoint, [...values, new Date(now)]);
}
