import { fromTwilioSid, type Pool, toTwilioSid } from "@longwave/contract";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import { requireMode } from "../../http/api/modes.ts";
import { listNumberRows, type NumberRow } from "../../network/numbers/index.ts";
import { accountSid, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { isoSeconds } from "./dates.ts";
import { changeUrl, checkSmsUrl, methodIn, type NumberUrl, urlsOf } from "./numbers.ts";
import { notSupported, TwilioRefusal } from "./refusals.ts";

const PATH = "/v1/Services/{service}";

/** Messaging services are sender pools. Their URL for inbound messages is that of the pool's numbers. */
export const serviceRoutes: readonly TwilioRoute[] = [
  {
    method: "GET",
    path: PATH,
    family: "other",
    asRoute: "pools.get",
    form: { takes: [] },
    handle: async (request) => {
      const pool = await poolIn(request);
      return { status: 200, body: await shown(request, pool) };
    },
  },
  {
    method: "POST",
    path: PATH,
    family: "other",
    asRoute: "numbers.update",
    form: { takes: ["InboundRequestUrl", "InboundMethod", "UseInboundWebhookOnNumber"] },
    handle: update,
  },
];

async function poolIn(request: TwilioRequest): Promise<Pool> {
  const { service = "" } = request.params;
  const uuid = fromTwilioSid("messaging_service", service);
  if (uuid === null) throw new TwilioRefusal(20404);
  const { body } = await request.call("pools.get", { params: { id: toApiId("pool", uuid) } });
  return body as Pool;
}

async function membersOf({ deps, caller }: TwilioRequest, pool: Pool): Promise<NumberRow[]> {
  const rows: NumberRow[] = [];
  for (const phone of pool.numbers) {
    const page = { phone, label: null, belowId: null, limit: 1 };
    rows.push(...(await listNumberRows(deps.db, caller.account, page)));
  }
  return rows;
}

async function update(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form } = request;
  const url = form.get("InboundRequestUrl");
  const method = methodIn(form, "InboundMethod") ?? "POST";
  if (form.get("UseInboundWebhookOnNumber") === "true") {
    throw notSupported("The URL of a service is set on its numbers.");
  }
  const pool = await poolIn(request);
  const rows = await membersOf(request, pool);
  for (const row of rows) requireMode(caller.mode, row, row.phone_number);
  if (url !== undefined) {
    checkSmsUrl(request, "InboundRequestUrl", url);
    const before = await urlsOf(request, rows);
    await deps.db.tx(async (tx) => {
      for (const row of rows)
        await changeUrl(request, tx, row, before.get(row.id), { url, method });
    });
  }
  return { status: 200, body: await shown(request, pool) };
}

async function shown(request: TwilioRequest, pool: Pool): Promise<object> {
  const rows = await membersOf(request, pool);
  const urls = await urlsOf(request, rows);
  const common = sharedUrl(rows.map((row) => urls.get(row.id)));
  const uuid = expect(fromApiId("pool", pool.id), "a pool has no id");
  const sid = toTwilioSid("messaging_service", uuid);
  const createdAt = isoSeconds(pool.created_at);
  return {
    account_sid: accountSid(request.caller),
    date_created: createdAt,
    date_updated: createdAt,
    friendly_name: pool.name,
    inbound_method: common?.sms_method ?? "POST",
    inbound_request_url: common?.sms_url || null,
    sid,
    smart_encoding: request.caller.account.smart_encoding,
    status_callback: null,
    sticky_sender: true,
    url: `/v1/Services/${sid}`,
    use_inbound_webhook_on_number: false,
    validity_period: null,
  };
}

/** The URL that every number of the pool has. */
function sharedUrl(urls: readonly (NumberUrl | undefined)[]): NumberUrl | undefined {
  const [first] = urls;
  const isShared = urls.every(
    (one) => one?.sms_url === first?.sms_url && one?.sms_method === first?.sms_method,
  );
  return isShared ? first : undefined;
}
