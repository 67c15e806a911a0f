import { createHmac } from "node:crypto";
import type { Mode } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { CALLBACKS_URL, endpointSecret } from "../../events/webhooks/index.ts";

/** Length and alphabet of Twilio's auth tokens. */
const TOKEN_BYTES = 16;
/** Events that a callback URL can receive. */
const CALLBACK_EVENTS = ["message.sent", "message.delivered", "message.failed", "message.received"];

/**
 * An account's callbacks are one hidden webhook endpoint: its deliveries are stored, retried and logged like
 * all others. Its secret signs the callbacks. The first callback URL activates it.
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
  "select id, secret from webhook_endpoints where shard = $1 and account_id = $2 and slot = 0",
);

const activateEndpoint = statement(
  "activate_callback_endpoint",
  `update webhook_endpoints set active = true
    where shard = $1 and account_id = $2 and slot = 0 and not active`,
);

interface StoredToken {
  readonly id: string;
  readonly secret: Buffer;
}

function decryptToken(deps: Base, { id, secret }: StoredToken): string {
  return deps.secrets.decrypt(secret, endpointSecret(id));
}

/** Auth token of a mode: signs the mode's callbacks and signs in to it. Created on first use. */
export async function tokenOf(deps: Base, account: AccountRow, mode: Mode): Promise<string> {
  const known = await knownTokenOf(deps, account, mode);
  if (known !== null) return known;
  await make(deps, deps.db, account);
  const made = await knownTokenOf(deps, account, mode);
  return expect(made, "the endpoint of callbacks was not made");
}

/** The auth token of a mode; null until the account's first use. */
export async function knownTokenOf(
  deps: Base,
  account: AccountRow,
  mode: Mode,
): Promise<string | null> {
  const key = [account.shard, account.id];
  const [known] = await deps.db.query<StoredToken>(findEndpoint, key);
  return known ? tokenIn(decryptToken(deps, known), mode) : null;
}

/**
 * The stored secret is the live token. The sandbox's derives from it and does not reveal it, so that a test key
 * leads to no live message.
 */
export function tokenIn(secret: string, mode: Mode): string {
  if (mode === "live") return secret;
  return createHmac("sha256", secret)
    .update("test")
    .digest("hex")
    .slice(0, 2 * TOKEN_BYTES);
}

/** From now on, the account's events are checked for callbacks. */
export async function activateCallbacks(
  deps: Base,
  db: Queryable,
  account: AccountRow,
): Promise<void> {
  await make(deps, db, account);
  await db.query(activateEndpoint, [account.shard, account.id]);
}

async function make(deps: Base, db: Queryable, account: AccountRow): Promise<void> {
  const token = deps.random.bytes(TOKEN_BYTES).toString("hex");
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  await db.query(makeEndpoint, [
    account.shard,
    account.id,
    id,
    CALLBACKS_URL,
    CALLBACK_EVENTS,
    deps.secrets.encrypt(token, endpointSecret(id)),
    new Date(now),
  ]);
}
