import { Problem, type WebhookDelivery } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Deps } from "../deps.ts";
import { appendQuietly, type EventRow, eventOf } from "../events/index.ts";
import { expect } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { presentDelivery } from "./delivery-row.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import type { Target } from "./sender.ts";

/** Sends of one account that somebody waits for, at a time and in one process. */
const SENDS_PER_ACCOUNT_MAX = 20;

const sending = new Map<string, number>();

/**
 * Does something that sends to endpoints at once, unless the account has too much of that going
 * on: whoever replays in a loop must not make us flood somebody.
 */
export async function sendingFor<T>(account: AccountRow, work: () => Promise<T>): Promise<T> {
  const count = sending.get(account.id) ?? 0;
  if (count >= SENDS_PER_ACCOUNT_MAX) {
    throw new Problem(
      "rate_limited",
      `${SENDS_PER_ACCOUNT_MAX} replays or tests are under way already. Wait for their answers.`,
      { headers: { "retry-after": "1" } },
    );
  }
  sending.set(account.id, count + 1);
  try {
    return await work();
  } finally {
    const left = (sending.get(account.id) ?? 1) - 1;
    if (left === 0) sending.delete(account.id);
    else sending.set(account.id, left);
  }
}

/** Sends a stored event to one endpoint, whatever its state and subscriptions. */
export async function replay(
  deps: Deps,
  account: AccountRow,
  event: EventRow,
  endpoint: EndpointRow,
): Promise<WebhookDelivery> {
  const target = targetOf(account, endpoint);
  return presentDelivery(await deps.webhookSender.sendNow(target, event, true));
}

/** Makes an event of type test.ping and sends it to one endpoint alone. */
export async function sendTest(
  deps: Deps,
  account: AccountRow,
  endpoint: EndpointRow,
): Promise<WebhookDelivery> {
  const owner = { shard: account.shard, accountId: account.id };
  const message = "This is a test of your webhook endpoint. There is nothing to do.";
  const event = await deps.db.tx(async (tx) => {
    const id = await appendQuietly(deps, tx, owner, { type: "test.ping", data: { message } });
    return eventOf(deps, tx, account, toApiId("event", id));
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
