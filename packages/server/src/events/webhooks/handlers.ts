import { type AccountRow, actorOf, type Principal } from "../../account/accounts/index.ts";
import { type Context, checking, type HandlersOf } from "../../http/api/handler.ts";
import { claimThenWork } from "../../http/idempotency/index.ts";
import { listDeliveries } from "./deliveries.ts";
import type { WebhooksDeps } from "./deps.ts";
import { endpointOf, givenEndpoint, presentEndpoint } from "./endpoint-row.ts";
import {
  type Changer,
  changeEndpoint,
  checkEndpoint,
  createEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
} from "./endpoints.ts";
import { exportDeliveries } from "./export.ts";
import { countSend, replay, sendTest } from "./replay.ts";
import { replayFailed } from "./replay-failed.ts";
import { listUndelivered, replayableEvent } from "./undelivered.ts";

type Names =
  | "webhooks.create"
  | "webhooks.list"
  | "webhooks.deliveries"
  | "webhooks.undelivered"
  | "webhooks.get"
  | "webhooks.update"
  | "webhooks.delete"
  | "webhooks.test"
  | "webhooks.rotateSecret"
  | "webhooks.replayFailed"
  | "events.replay"
  | "exports.webhookDeliveries";

export const webhookHandlers: HandlersOf<Names, WebhooksDeps> = {
  "webhooks.create": checking(
    (deps, { body }) => checkEndpoint(deps, body),
    async (context, { body }) =>
      context.transact(async (tx) => ({
        status: 201,
        body: await createEndpoint(context.deps, tx, changerOf(context), body),
      })),
  ),

  "webhooks.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listEndpoints(deps, caller.account, query),
  }),

  "webhooks.deliveries": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listDeliveries(deps, caller, query),
  }),

  "webhooks.undelivered": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listUndelivered(deps, caller, query),
  }),

  "webhooks.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentEndpoint(await endpointOf(deps.db, caller.account, params.id)),
  }),

  "webhooks.update": async (context, { params, body }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: await changeEndpoint(context.deps, tx, changerOf(context), params.id, body),
    })),

  "webhooks.delete": async (context, { params }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: await removeEndpoint(context.deps, tx, changerOf(context), params.id),
    })),

  "webhooks.rotateSecret": async (context, { params }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: await rotateSecret(context.deps, tx, changerOf(context), params.id),
    })),

  "webhooks.test": async (context, { params }) => {
    const { deps, account } = of(context);
    const endpoint = await endpointOf(deps.db, account, params.id);
    return sending(context, () => sendTest(deps, context.caller, endpoint));
  },

  "webhooks.replayFailed": async (context, { params, body }) => {
    const { deps, account } = of(context);
    const endpoint = await endpointOf(deps.db, account, params.id);
    return sending(context, () => replayFailed(deps, context.caller, endpoint, body?.hours));
  },

  "events.replay": async (context, { params, body }) => {
    const { deps, account } = of(context);
    const event = await replayableEvent(deps, context.caller, params.id);
    const endpoint = await givenEndpoint(deps.db, account, body.endpoint_id);
    return sending(context, () => replay(deps, account, event, endpoint));
  },

  "exports.webhookDeliveries": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await exportDeliveries(deps, caller, query),
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="webhook_deliveries.csv"',
    },
  }),
};

function of({ deps, caller }: Context<Principal, WebhooksDeps>): {
  deps: WebhooksDeps;
  account: AccountRow;
} {
  return { deps, account: caller.account };
}

/** Sends without an open transaction, once per Idempotency-Key, and rate-limited. */
function sending<B>(
  context: Context<Principal, WebhooksDeps>,
  work: () => Promise<B>,
): Promise<{ status: 200; body: B }> {
  return claimThenWork(context, async () => {
    await countSend(context.deps, context.caller.account);
    return { status: 200 as const, body: await work() };
  });
}

function changerOf({ caller, ip }: Context<Principal, WebhooksDeps>): Changer {
  return { account: caller.account, actor: actorOf(caller), ip };
}
