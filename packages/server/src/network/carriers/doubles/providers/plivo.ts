import { createHmac } from "node:crypto";
import {
  basic,
  type DoubleCall,
  type DoubleCallback,
  type DoubleFailure,
  type DoubleReply,
  digits,
  FORM_TYPE,
  formOf,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const AUTH_ID = "MAMZDOUBLE0123456789";
const TOKEN = "plivo0123456789abcdef0123456789abcdef012";
const CODES: Readonly<Record<DoubleFailure, string>> = {
  unreachable: "80",
  invalid_number: "50",
  landline: "50",
  filtered: "30",
  opted_out: "200",
  expired: "420",
};

const account = `/v1/Account/${AUTH_ID}`;
const path = `${account}/Message/`;
const APPLICATION = "29986316244302815";
const NUMBERS = ["14155550100", "14155550101"];
const UNAUTHORIZED = json(401, { error: "authentication failed" });

function isKnown({ headers }: DoubleCall): boolean {
  return headers["authorization"] === basic(AUTH_ID, TOKEN);
}
const signed = (fields: Record<string, string | undefined>, url: string): DoubleCallback => {
  const body = formOf(fields);
  const nonce = createHmac("sha256", "nonce").update(body).digest("hex").slice(0, 20);
  const { origin, pathname } = new URL(url);
  const params = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1));
  const sorted = params.map(([name, value]) => name + value).join("");
  const mac = (text: string) => createHmac("sha256", TOKEN).update(text).digest("base64");
  return {
    url,
    method: "POST",
    body,
    headers: {
      ...FORM_TYPE,
      "X-Plivo-Signature-V2": mac(`${origin}${pathname}${nonce}`),
      "X-Plivo-Signature-V2-Nonce": nonce,
      "X-Plivo-Signature-V3": mac(`${origin}${pathname}?${sorted}.${nonce}`),
      "X-Plivo-Signature-V3-Nonce": nonce,
    },
  };
};

interface Application {
  message_url: string | null;
}

/** Plivo: plivo.com/docs/messaging/api/message; signatures V2 and V3 as in plivo-node. */
export function plivoDouble(): ProviderDouble {
  const application: Application = { message_url: null };
  return {
    ...ANSWERS,
    other: (call) => accountAnswer(call, application),
    inboundUrl: () => application.message_url,
  };
}

const ANSWERS: Omit<ProviderDouble, "other" | "inboundUrl"> = {
  name: "plivo",
  title: "Plivo",
  entry: { type: "plivo", auth_id: AUTH_ID, auth_token_env: "PLIVO_AUTH_TOKEN" },
  env: { PLIVO_AUTH_TOKEN: TOKEN },
  send(call) {
    if (call.path !== path || call.method !== "POST") return null;
    if (!isKnown(call)) return UNAUTHORIZED;
    const { src, dst, text, url } = jsonIn(call);
    if (!src || !dst || !text)
      return json(400, { api_id: "1", error: "src, dst and text are required" });
    if (!/^\d{8,15}$/.test(dst)) return json(400, { api_id: "1", error: "dst is invalid" });
    return {
      from: `+${src}`,
      to: `+${dst}`,
      body: text,
      reference: null,
      receiptsUrl: url ?? null,
    };
  },
  accepted: ({ ids }) =>
    json(202, { api_id: "1", message: "message(s) queued", message_uuid: [ids[0]] }),
  refused: (failure) =>
    failure === "invalid_number" ? json(400, { api_id: "1", error: "dst is invalid" }) : null,
  throttled: () => json(429, { api_id: "1", error: "Too many requests" }),
  unavailable: () => json(503, { api_id: "1", error: "Service unavailable" }),
  receipt: ({ id, from, to, state, failure, note }, url) =>
    signed(
      {
        MessageUUID: id,
        ParentMessageUUID: id,
        PartInfo: "1 of 1",
        Status: state === "failed" ? "undelivered" : state,
        ErrorCode: state === "failed" ? CODES[failure ?? "unreachable"] : "000",
        From: digits(from),
        To: digits(to),
        Units: "1",
        Note: note,
      },
      url,
    ),
  inbound: ({ id, from, to, body }, url) =>
    signed({ MessageUUID: id, From: digits(from), To: digits(to), Text: body, Type: "sms" }, url),
};

/** Numbers of the account, and the application that they belong to. */
function accountAnswer(call: DoubleCall, application: Application): DoubleReply | null {
  const isApplication = call.path === `${account}/Application/${APPLICATION}/`;
  const isNumbers = call.path === `${account}/Number/` && call.method === "GET";
  if (!isApplication && !isNumbers) return null;
  if (!isKnown(call)) return UNAUTHORIZED;
  if (isApplication) {
    if (call.method !== "POST") return json(200, { app_id: APPLICATION, ...application });
    application.message_url = jsonIn(call).message_url ?? application.message_url;
    return json(202, { message: "changed", api_id: "1" });
  }
  const limit = Number(call.query.get("limit") ?? 20);
  const offset = Number(call.query.get("offset") ?? 0);
  if (!(limit >= 1 && limit <= 20)) return json(400, { api_id: "1", error: "limit is invalid" });
  const isLast = offset + limit >= NUMBERS.length;
  return json(200, {
    api_id: "1",
    meta: {
      limit,
      offset,
      next: isLast ? null : `${account}/Number/?limit=${limit}&offset=${offset + limit}`,
      previous: null,
      total_count: NUMBERS.length,
    },
    objects: NUMBERS.slice(offset, offset + limit).map((number) => ({
      number,
      alias: null,
      application: `${account}/Application/${APPLICATION}/`,
      carrier: "Plivo",
      number_type: "local",
      region: "California, UNITED STATES",
      sms_enabled: true,
      resource_uri: `${account}/Number/${number}/`,
    })),
  });
}
