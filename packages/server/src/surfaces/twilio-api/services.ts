import { fromTwilioSid, type SmsMethod, toTwilioSid } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import {
  changeNumber,
  changerOf,
  checkSmsUrl,
  listPoolRows,
  type PoolRow,
  poolOf,
} from "../../network/numbers/index.ts";
import { accountSid, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { isoSeconds } from "./dates.ts";
import { methodIn } from "./numbers.ts";
import { metaAnswer, PAGE_PARAMETERS, pageOf } from "./paging.ts";
import { notSupported, TwilioRefusal } from "./refusals.ts";
import { findPoolUrls } from "./sql.ts";

const PATH = "/v1/Services";
const HOST = "messaging.twilio.com";

interface NumberUrl {
  readonly sms_url: string | null;
  readonly sms_method: SmsMethod;
}

/** Messaging services are sender pools. Their URL for inbound messages is that of the pool's numbers. */
export const serviceRoutes: readonly TwilioRoute[] = [
  {
    method: "GET",
    path: PATH,
    family: "other",
    asRoute: "pools.list",
    form: { takes: PAGE_PARAMETERS },
    handle: list,
  },
  {
    method: "GET",
    path: `${PATH}/{service}`,
    family: "other",
    asRoute: "pools.get",
    form: { takes: [] },
    handle: async (request) => ({ status: 200, body: await shown(request, await poolIn(request)) }),
  },
  {
    method: "POST",
    path: `${PATH}/{service}`,
    family: "other",
    asRoute: "numbers.update",
    form: { takes: ["InboundRequestUrl", "InboundMethod", "UseInboundWebhookOnNumber"] },
    handle: update,
  },
];

async function list(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form, path } = request;
  const page = pageOf(form);
  const rows = await listPoolRows(deps.db, caller.account, page.belowId, page.size + 1);
  const urls = await sharedUrls(request, rows);
  const body = metaAnswer<PoolRow>(
    HOST,
    "services",
    path,
    form,
    page,
    rows,
    (row) => row.id,
    (row) => present(request, row, urls.get(row.id)),
  );
  return { status: 200, body };
}

async function poolIn({ deps, caller, params }: TwilioRequest): Promise<PoolRow> {
  const { service = "" } = params;
  const uuid = fromTwilioSid("messaging_service", service);
  if (uuid === null) throw new TwilioRefusal(20404);
  return poolOf(deps.db, caller.account, toApiId("pool", uuid), "read");
}

async function update(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form, ip } = request;
  const url = form.get("InboundRequestUrl");
  const method = methodIn(form, "InboundMethod") ?? "POST";
  if (form.get("UseInboundWebhookOnNumber") === "true") {
    throw notSupported("The URL of a service is set on its numbers.");
  }
  const pool = await poolIn(request);
  if (url) checkSmsUrl(deps, caller, "InboundRequestUrl", url);
  if (url !== undefined) {
    const changes = { sms_url: url || null, sms_method: method };
    await deps.db.tx(async (tx) => {
      for (const phone of pool.numbers) {
        await changeNumber(deps, tx, caller, phone, changes, changerOf(caller, ip));
      }
    });
  }
  return { status: 200, body: await shown(request, pool) };
}

async function shown(request: TwilioRequest, pool: PoolRow): Promise<object> {
  return present(request, pool, (await sharedUrls(request, [pool])).get(pool.id));
}

function present({ caller }: TwilioRequest, pool: PoolRow, url: NumberUrl | undefined): object {
  const sid = toTwilioSid("messaging_service", pool.id);
  const createdAt = isoSeconds(new Date(pool.created_at).toISOString());
  return {
    account_sid: accountSid(caller),
    date_created: createdAt,
    date_updated: createdAt,
    friendly_name: pool.name,
    inbound_method: url?.sms_method ?? "POST",
    inbound_request_url: url?.sms_url ?? null,
    sid,
    smart_encoding: caller.account.smart_encoding,
    status_callback: null,
    sticky_sender: true,
    url: `https://${HOST}${PATH}/${sid}`,
    use_inbound_webhook_on_number: false,
    validity_period: null,
  };
}

/** The URL that every number of a pool has, by the pool's id. */
async function sharedUrls(
  { deps, caller }: TwilioRequest,
  pools: readonly PoolRow[],
): Promise<ReadonlyMap<string, NumberUrl>> {
  const { shard, id } = caller.account;
  const values = [shard, id, pools.map((pool) => pool.id)];
  const rows = await deps.db.query<NumberUrl & { pool_id: string }>(findPoolUrls, values);
  const shared = new Map<string, NumberUrl>();
  const differing = new Set<string>();
  for (const row of rows) {
    const first = shared.get(row.pool_id) ?? row;
    const isSame = first.sms_url === row.sms_url && first.sms_method === row.sms_method;
    if (!isSame) differing.add(row.pool_id);
    shared.set(row.pool_id, first);
  }
  for (const pool of differing) shared.delete(pool);
  return shared;
}
