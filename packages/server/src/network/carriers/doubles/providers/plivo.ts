import { createHmac } from "node:crypto";
import {
  basic,
  type DoubleCallback,
  type DoubleFailure,
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

const path = `/v1/Account/${AUTH_ID}/Message/`;
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

/** Plivo: plivo.com/docs/messaging/api/message; signatures V2 and V3 as in plivo-node. */
export const PLIVO_DOUBLE: ProviderDouble = {
  name: "plivo",
  title: "Plivo",
  entry: { type: "plivo", auth_id: AUTH_ID, auth_token_env: "PLIVO_AUTH_TOKEN" },
  env: { PLIVO_AUTH_TOKEN: TOKEN },
  send(call) {
    if (call.path !== path || call.method !== "POST") return null;
    if (call.headers["authorization"] !== basic(AUTH_ID, TOKEN))
      return json(401, { error: "authentication failed" });
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
