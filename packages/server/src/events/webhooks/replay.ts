import {
  counted,
  Problem,
  WEBHOOK_SENDS_PER_MINUTE_MAX,
  type WebhookDelivery,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { appendWithoutDelivery, type EventRow, eventOf } from "../log/index.ts";
import type { Target } from "./deliver.ts";
import { presentDelivery } from "./delivery-row.ts";
import type { WebhooksDeps } from "./deps.ts";
import type { EndpointRow } from "./endpoint-row.ts";

const MINUTE_SECONDS = 60;

/** Returns a row when a token was left. The bucket of an account without replays is full. */
const takeSendToken = statement(
  "take_webhook_send_token",
  `insert into webhook_send_buckets as b (shard, account_id, tokens, refilled_at)
   values ($1, $2, $3::float8 - 1, $4)
   on conflict (shard, account_id) do update
      set tokens = least($3::float8, b.tokens
            + greatest(0, extract(epoch from excluded.refilled_at - b.refilled_at)) * $3::float8 / $5::float8) - 1,
          refilled_at = greatest(b.refilled_at, excluded.refilled_at)
    where least($3::float8, b.tokens
            + greatest(0, extract(epoch from excluded.refilled_at - b.refilled_at)) * $3::float8 / $5::float8) >= 1
   returning 1 as taken`,
);

/**
 * Counts a replay or test, and refuses it when the account makes too many: a loop of replays must not flood a receiver.
 */
export async function countSend(deps: WebhooksDeps, account: AccountRow): Promise<void> {
  const now = new Date(deps.clock.now());
  const most = WEBHOOK_SENDS_PER_MINUTE_MAX;
  const values = [account.shard, account.id, most, now, MINUTE_SECONDS];
  const rows = await deps.db.query(takeSendToken, values);
  if (rows.length > 0) return;
  const waitSeconds = Math.ceil(MINUTE_SECONDS / most);
  throw new Problem(
    "rate_limited",
    `At most ${most} replays and tests a minute are made for an account. Try again in ${counted(waitSeconds, "second")}.`,
    { headers: { "retry-after": String(waitSeconds) } },
  );
}

/** Sends a stored event to one endpoint, whatever its state and subscriptions. */
export async function replay(
  deps: WebhooksDeps,
  account: AccountRow,
  event: EventRow,
  endpoint: EndpointRow,
): Promise<WebhookDelivery> {
  const target = targetOf(account, endpoint);
  return presentDelivery(await deps.webhookSender.sendNow(target, event, true));
}

/** Creates a test.ping event of the caller's mode and sends it to one endpoint only. */
export async function sendTest(
  deps: WebhooksDeps,
  caller: ModedCaller & { readonly account: AccountRow },
  endpoint: EndpointRow,
): Promise<WebhookDelivery> {
  const { account, mode } = caller;
  const owner = { shard: account.shard, accountId: account.id };
  const message = "This is a test of your webhook endpoint. There is nothing to do.";
  const event = await deps.db.tx(async (tx) => {
    const id = await appendWithoutDelivery(deps, tx, owner, {
      type: "test.ping",
      mode,
      data: { message },
    });
    return eventOf(deps, tx, caller, toApiId("event", id));
  });
  const target = targetOf(account, endpoint);
  const sent = expect(event, "an event was not stored");
  return presentDelivery(await deps.webhookSender.sendNow(target, sent, false));
}

export function targetOf(account: AccountRow, endpoint: EndpointRow): Target {
  return {
    shard: account.shard,
    accountId: account.id,
    endpointId: endpoint.id,
    url: endpoint.url,
    secret: endpoint.secret,
  };
}
