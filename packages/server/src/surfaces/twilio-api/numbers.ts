import { fromTwilioSid, normalizePhone, toTwilioSid } from "@longwave/contract";
import { actorOf } from "../../account/accounts/index.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import { requireMode } from "../../http/api/modes.ts";
import { requireScope } from "../../http/auth/admission.ts";
import {
  listNumberRows,
  type NumberRow,
  numberRowById,
  recordNumber,
} from "../../network/numbers/index.ts";
import { accountSid, sidIn, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { rfc2822 } from "./dates.ts";
import { activateCallbacks } from "./endpoint.ts";
import type { Form } from "./form.ts";
import { PAGE_PARAMETERS, pageAnswer, pageOf } from "./paging.ts";
import { TwilioRefusal } from "./refusals.ts";
import { findNumberUrls, setNumberUrl } from "./sql.ts";

const BASE = "/2010-04-01/Accounts/{account}";
export type SmsMethod = "GET" | "POST";

export interface NumberUrl {
  readonly number_id: string;
  readonly sms_url: string;
  readonly sms_method: SmsMethod;
  readonly updated_at: number;
}

export const numberRoutes: readonly TwilioRoute[] = [
  {
    method: "GET",
    path: `${BASE}/IncomingPhoneNumbers.json`,
    family: "other",
    asRoute: "numbers.list",
    form: { takes: ["PhoneNumber", "FriendlyName", ...PAGE_PARAMETERS] },
    handle: list,
  },
  {
    method: "GET",
    path: `${BASE}/IncomingPhoneNumbers/{sid}`,
    family: "other",
    asRoute: "numbers.get",
    form: { takes: [] },
    handle: async (request) => {
      const row = await numberOf(request);
      return { status: 200, body: await shownOne(request, row) };
    },
  },
  {
    method: "POST",
    path: `${BASE}/IncomingPhoneNumbers/{sid}`,
    family: "other",
    asRoute: "numbers.update",
    form: { takes: ["SmsUrl", "SmsMethod"] },
    handle: update,
  },
];

async function list(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form, path } = request;
  const page = pageOf(form);
  const rows = await listNumberRows(deps.db, caller.account, {
    phone: phoneIn(form.get("PhoneNumber")),
    label: form.get("FriendlyName") ?? null,
    belowId: page.belowId,
    limit: page.size + 1,
  });
  const urls = await urlsOf(request, rows);
  const body = pageAnswer(
    "incoming_phone_numbers",
    path,
    form,
    page,
    rows,
    (row) => row.id,
    (row) => present(request, row, urls.get(row.id)),
  );
  return { status: 200, body };
}

function phoneIn(given: string | undefined): string | null {
  if (!given) return null;
  const phone = normalizePhone(given);
  if (phone === null) throw new TwilioRefusal(20001, "PhoneNumber must be a whole phone number.");
  return phone;
}

async function numberOf(request: TwilioRequest): Promise<NumberRow> {
  const { deps, caller } = request;
  const uuid = fromTwilioSid("number", sidIn(request));
  const row = uuid === null ? null : await numberRowById(deps.db, caller.account, uuid);
  if (row === null) throw new TwilioRefusal(20404);
  return row;
}

async function update(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form } = request;
  const row = await numberOf(request);
  requireMode(caller.mode, row, row.phone_number);
  const before = (await urlsOf(request, [row])).get(row.id);
  const url = form.get("SmsUrl") ?? before?.sms_url ?? "";
  const method = methodIn(form, "SmsMethod") ?? before?.sms_method ?? "POST";
  checkSmsUrl(request, "SmsUrl", url);
  await deps.db.tx((tx) => changeUrl(request, tx, row, before, { url, method }));
  return { status: 200, body: await shownOne(request, row) };
}

/** Refuses a URL for inbound messages that the caller may not set. */
export function checkSmsUrl({ deps, caller }: TwilioRequest, name: string, url: string): void {
  if (url === "") return;
  // The URL receives message bodies and answers with messages, so numbers:write alone does not do.
  requireScope(caller, "webhooks:write");
  requireScope(caller, "messages:send");
  const verdict = deps.outgoing.checkUrl(url);
  if (!verdict.ok) throw new TwilioRefusal(20001, `${name} cannot be used. ${verdict.reason}`);
}

/** Sets the URL for inbound messages of a number, with an audit entry if it changes. */
export async function changeUrl(
  request: TwilioRequest,
  tx: Tx,
  row: NumberRow,
  before: NumberUrl | undefined,
  { url, method }: { readonly url: string; readonly method: SmsMethod },
): Promise<void> {
  const { deps, caller, ip } = request;
  await setUrl(request, tx, row, url, method);
  if (url === before?.sms_url && method === before.sms_method) return;
  const changes = {
    sms_url: { from: before?.sms_url ?? "", to: url },
    sms_method: { from: before?.sms_method ?? "POST", to: method },
  };
  await recordNumber(deps, tx, row, "number.updated", { actor: actorOf(caller), ip }, changes);
}

async function setUrl(
  { deps, caller }: TwilioRequest,
  db: Queryable,
  row: NumberRow,
  url: string,
  method: SmsMethod,
): Promise<void> {
  const now = new Date(deps.clock.now());
  if (url !== "") await activateCallbacks(deps, db, caller.account);
  await db.query(setNumberUrl, [row.shard, row.account_id, row.id, url, method, now]);
}

export function methodIn(form: Form, name: string): SmsMethod | null {
  const given = form.get(name);
  if (given === undefined) return null;
  if (given === "GET" || given === "POST") return given;
  throw new TwilioRefusal(20001, `${name} must be GET or POST.`);
}

export async function urlsOf(
  { deps, caller }: TwilioRequest,
  rows: readonly NumberRow[],
): Promise<Map<string, NumberUrl>> {
  const { shard, id } = caller.account;
  const ids = rows.map((row) => row.id);
  const urls = await deps.db.query<NumberUrl>(findNumberUrls, [shard, id, ids]);
  return new Map(urls.map((url) => [url.number_id, url]));
}

async function shownOne(request: TwilioRequest, row: NumberRow): Promise<object> {
  return present(request, row, (await urlsOf(request, [row])).get(row.id));
}

function present({ caller }: TwilioRequest, row: NumberRow, url: NumberUrl | undefined): object {
  const account = accountSid(caller);
  const sid = toTwilioSid("number", row.id);
  return {
    account_sid: account,
    address_requirements: "none",
    api_version: "2010-04-01",
    beta: false,
    capabilities: { fax: false, mms: false, sms: true, voice: false },
    date_created: rfc2822(row.purchased_at),
    date_updated: rfc2822(url?.updated_at ?? row.purchased_at),
    friendly_name: row.label ?? row.phone_number,
    origin: "twilio",
    phone_number: row.phone_number,
    sid,
    sms_application_sid: "",
    sms_fallback_method: "POST",
    sms_fallback_url: "",
    sms_method: url?.sms_method ?? "POST",
    sms_url: url?.sms_url ?? "",
    status: "in-use",
    status_callback: "",
    status_callback_method: "POST",
    uri: `/2010-04-01/Accounts/${account}/IncomingPhoneNumbers/${sid}.json`,
    voice_url: null,
  };
}
