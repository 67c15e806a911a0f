import { fromTwilioSid, normalizePhone, type SmsMethod, toTwilioSid } from "@longwave/contract";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import {
  changeNumber,
  changerOf,
  checkSmsUrl,
  listNumberRows,
  type NumberRow,
  numberRowById,
} from "../../network/numbers/index.ts";
import { accountSid, sidIn, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { rfc2822 } from "./dates.ts";
import type { Form } from "./form.ts";
import { PAGE_PARAMETERS, pageAnswer, pageOf } from "./paging.ts";
import { TwilioRefusal } from "./refusals.ts";

const BASE = "/2010-04-01/Accounts/{account}";

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
      return { status: 200, body: present(request, row) };
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
  const body = pageAnswer(
    "incoming_phone_numbers",
    path,
    form,
    page,
    rows,
    (row) => row.id,
    (row) => present(request, row),
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
  const { deps, caller, form, ip } = request;
  const { phone_number: phone } = await numberOf(request);
  const url = form.get("SmsUrl");
  const method = methodIn(form, "SmsMethod");
  if (url) checkSmsUrl(deps, caller, "SmsUrl", url);
  const changes = {
    ...(url === undefined ? {} : { sms_url: url || null }),
    ...(method === null ? {} : { sms_method: method }),
  };
  await deps.db.tx((tx) => changeNumber(deps, tx, caller, phone, changes, changerOf(caller, ip)));
  return { status: 200, body: present(request, await numberOf(request)) };
}

export function methodIn(form: Form, name: string): SmsMethod | null {
  const given = form.get(name);
  if (given === undefined) return null;
  if (given === "GET" || given === "POST") return given;
  throw new TwilioRefusal(20001, `${name} must be GET or POST.`);
}

function present({ caller }: TwilioRequest, row: NumberRow): object {
  const account = accountSid(caller);
  const sid = toTwilioSid("number", row.id);
  return {
    account_sid: account,
    address_requirements: "none",
    api_version: "2010-04-01",
    beta: false,
    capabilities: { fax: false, mms: false, sms: true, voice: false },
    date_created: rfc2822(row.purchased_at),
    date_updated: rfc2822(row.sender_updated_at),
    friendly_name: row.label ?? row.phone_number,
    origin: "twilio",
    phone_number: row.phone_number,
    sid,
    sms_application_sid: "",
    sms_fallback_method: "POST",
    sms_fallback_url: "",
    sms_method: row.sms_method,
    sms_url: row.sms_url ?? "",
    status: "in-use",
    status_callback: "",
    status_callback_method: "POST",
    uri: `/2010-04-01/Accounts/${account}/IncomingPhoneNumbers/${sid}.json`,
    voice_url: null,
  };
}
