import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { CALLBACKS_URL } from "../../events/webhooks/index.ts";

/** As long as theirs, and of the same alphabet. */
const TOKEN_BYTES = 16;
/** What a text or a number can ask to hear of. */
const TOLD_EVENTS = ["message.sent", "message.delivered", "message.failed", "message.received"];

/**
 * An account's callbacks are one endpoint of its webhooks, which no list shows: its events become due
 * deliveries in the transactions that write them, and are sent, tried again and logged as all others
 * are. Its secret is what callbacks are signed with. It is active once something asked for a callback.
 */
const makeEndpoint = statement(
  "make_callback_endpoint",
  `insert into webhook_endpoints
     (shard, account_id, id, slot, url, events, active, description, secret, created_at)
   values ($1, $2, $3, 0, $4, $5, false, null, $6, $7)
   on conflict (shard, account_id, slot) do nothing`,
);

const findEndpoint = statement(
  "find_callback_endpoint",
  "select secret from webhook_endpoints where shard = $1 and account_id = $2 and slot = 0",
);

const activateEndpoint = statement(
  "activate_callback_endpoint",
  `update webhook_endpoints set active = true
    where shard = $1 and account_id = $2 and slot = 0 and not active`,
);

/** What callbacks of an account are signed with; made when it is first asked for. */
export async function tokenOf(deps: Base, account: AccountRow): Promise<string> {
  const key = [account.shard, account.id];
  const [known] = await deps.db.query<{ secret: Buffer }>(findEndpoint, key);
  if (known) return deps.secrets.decrypt(known.secret);
  await make(deps, deps.db, account);
  const [made] = await deps.db.query<{ secret: Buffer }>(findEndpoint, key);
  return deps.secrets.decrypt(expect(made, "the endpoint of callbacks was not made").secret);
}

/** From now on the account's events are looked at for callbacks. */
export async function openCallbacks(deps: Base, db: Queryable, account: AccountRow): Promise<void> {
  await make(deps, db, account);
  await db.query(activateEndpoint, [account.shard, account.id]);
}

async function make(deps: Base, db: Queryable, account: AccountRow): Promise<void> {
  const token = deps.random.bytes(TOKEN_BYTES).toString("hex");
  const now = deps.clock.now();
  await db.query(makeEndpoint, [
    account.shard,
    account.id,
    deps.ids.makeAt(now),
    CALLBACKS_URL,
    TOLD_EVENTS,
    deps.secrets.encrypt(token),
    new Date(now),
  ]);
}
