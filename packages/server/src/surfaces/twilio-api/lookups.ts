import { type LineType, type Lookup, normalizePhone } from "@longwave/contract";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import type { TwilioRequest, TwilioRoute } from "./api.ts";
import { notSupported, TwilioRefusal } from "./refusals.ts";

const LINE_TYPE_FIELD = "line_type_intelligence";

export const lookupRoutes: readonly TwilioRoute[] = [
  {
    method: "GET",
    path: "/v2/PhoneNumbers/{phone}",
    family: "other",
    asRoute: "lookup.get",
    form: { takes: ["Fields", "CountryCode"] },
    handle: lookUp,
  },
  {
    method: "GET",
    path: "/v1/PhoneNumbers/{phone}",
    family: "other",
    asRoute: "lookup.get",
    form: { takes: ["Type", "CountryCode"] },
    handle: lookUpV1,
  },
];

const LINE_TYPES: Readonly<Record<LineType, string>> = {
  mobile: "mobile",
  landline: "landline",
  voip: "nonFixedVoip",
  toll_free: "tollFree",
  unknown: "unknown",
};

async function lookUp(request: TwilioRequest): Promise<PipelineAnswer> {
  const { phone: given = "" } = request.params;
  const fields = (request.form.get("Fields") ?? "").split(",").map((field) => field.trim());
  const other = fields.find((field) => !["", "validation", LINE_TYPE_FIELD].includes(field));
  if (other !== undefined)
    throw notSupported(`The field ${other.slice(0, 64)} is not looked up here.`);
  checkCountry(request);
  const phone = normalizePhone(given);
  if (phone === null) return { status: 200, body: present(given, null, []) };
  const { body } = await request.call("lookup.get", { params: { phone } });
  return { status: 200, body: present(phone, body as Lookup, fields) };
}

function checkCountry({ form }: TwilioRequest): void {
  const country = form.get("CountryCode");
  if (country && !["US", "CA"].includes(country.toUpperCase())) {
    throw notSupported("Only numbers of the US and Canada are looked up here.");
  }
}

/** Version 1 answers 404 for a number that is none, and names the kind of line as the carrier's type. */
async function lookUpV1(request: TwilioRequest): Promise<PipelineAnswer> {
  const { form } = request;
  const { phone: given = "" } = request.params;
  const type = form.get("Type");
  if (type && type !== "carrier") {
    throw notSupported(`The Type ${type.slice(0, 64)} is not looked up here.`);
  }
  checkCountry(request);
  const phone = normalizePhone(given);
  const found =
    phone === null
      ? null
      : ((await request.call("lookup.get", { params: { phone } })).body as Lookup);
  if (phone === null || !found?.valid) throw new TwilioRefusal(20404);
  const body = {
    add_ons: null,
    caller_name: null,
    carrier: type === "carrier" ? carrierOf(found) : null,
    country_code: found.country,
    national_format: found.national_format,
    phone_number: phone,
    url: `/v1/PhoneNumbers/${encodeURIComponent(phone)}`,
  };
  return { status: 200, body };
}

/** Version 1 knows three types of line. */
function carrierOf(found: Lookup): object {
  const { carrier_name: name, type, ...codes } = lineOf(found);
  const isMobile = type === "mobile";
  const isVoip = type === "nonFixedVoip";
  const shown = isMobile ? "mobile" : isVoip ? "voip" : type === "unknown" ? null : "landline";
  return { ...codes, name, type: shown };
}

function present(phone: string, found: Lookup | null, fields: readonly string[]): object {
  const isValid = found?.valid ?? false;
  return {
    call_forwarding: null,
    caller_name: null,
    calling_country_code: isValid ? "1" : null,
    country_code: found?.country ?? null,
    identity_match: null,
    line_status: null,
    line_type_intelligence:
      found !== null && fields.includes(LINE_TYPE_FIELD) ? lineOf(found) : null,
    national_format: isValid ? (found?.national_format ?? null) : null,
    phone_number: phone,
    phone_number_quality_score: null,
    pre_fill: null,
    reassigned_number: null,
    sim_swap: null,
    sms_pumping_risk: null,
    url: `/v2/PhoneNumbers/${encodeURIComponent(phone)}`,
    valid: isValid,
    validation_errors: isValid ? [] : [found === null ? "NOT_A_NUMBER" : "INVALID_BUT_POSSIBLE"],
  };
}

function lineOf({ line_type, carrier }: Lookup) {
  return {
    carrier_name: carrier?.name ?? null,
    error_code: null,
    mobile_country_code: null,
    mobile_network_code: null,
    type: LINE_TYPES[line_type],
  };
}
