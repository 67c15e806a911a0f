import { createHash } from "node:crypto";
import {
  type DoubleCallback,
  type DoubleDraft,
  type DoubleFailure,
  type DoubleReply,
  digits,
  FORM_TYPE,
  formIn,
  formOf,
  json,
  type ProviderDouble,
} from "../double.ts";

const KEY = "abcd1234";
const SECRET = "Abcdef0123456789";
const SIGNATURE_SECRET = "signature-secret-0123456789";
/** err-code of delivery receipts. */
const CODES: Readonly<Record<DoubleFailure, string>> = {
  unreachable: "2",
  invalid_number: "3",
  landline: "11",
  filtered: "6",
  opted_out: "9",
  expired: "1",
};
const NUMBERS = ["14155550100", "14155550101"];
const SEGMENT_CHARS = { text: [160, 153], unicode: [70, 67] } as const;

/** The account's signature method is the MD5 hash. */
const signed = (fields: Record<string, string | undefined>, url: string): DoubleCallback => {
  const params = [...new URLSearchParams(formOf(fields))].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = params.map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, "_")}`).join("");
  const sig = createHash("md5")
    .update(text + SIGNATURE_SECRET)
    .digest("hex");
  return { url, method: "POST", headers: FORM_TYPE, body: formOf({ ...fields, sig }) };
};

/** Vonage's SMS API: developer.vonage.com/en/api/sms. Every answer is a 200. */
export const VONAGE_DOUBLE: ProviderDouble = {
  name: "vonage",
  title: "Vonage (SMS API)",
  entry: {
    type: "vonage",
    api_key: KEY,
    api_secret_env: "VONAGE_API_SECRET",
    signature_secret_env: "VONAGE_SIGNATURE_SECRET",
  },
  env: { VONAGE_API_SECRET: SECRET, VONAGE_SIGNATURE_SECRET: SIGNATURE_SECRET },
  other(call) {
    if (call.path !== "/account/numbers" || call.method !== "GET") return null;
    const { query } = call;
    if (query.get("api_key") !== KEY || query.get("api_secret") !== SECRET) {
      return json(401, { "error-code": "401", "error-code-label": "authentication failed" });
    }
    const [size, index] = [Number(query.get("size") ?? 10), Number(query.get("index") ?? 1)];
    const numbers = NUMBERS.map((msisdn) => ({
      country: "US",
      msisdn,
      type: "mobile-lvn",
      features: ["SMS", "VOICE"],
    }));
    const shown = numbers.slice((index - 1) * size, index * size);
    return json(200, shown.length === 0 ? {} : { count: numbers.length, numbers: shown });
  },
  send(call) {
    if (call.path !== "/sms/json" || call.method !== "POST") return null;
    const form = formIn(call);
    if (form["api_key"] !== KEY || form["api_secret"] !== SECRET) return status("4");
    return draftOf(form);
  },
  accepted: ({ ids, to }) =>
    json(200, {
      "message-count": String(ids.length),
      messages: ids.map((id) => ({
        to: digits(to),
        "message-id": id,
        status: "0",
        "remaining-balance": "10.00",
        "message-price": "0.00570000",
        network: "310260",
      })),
    }),
  refused: (failure) =>
    failure === "invalid_number" ? status("3") : failure === "filtered" ? status("6") : null,
  throttled: () => status("1"),
  unavailable: () => ({ status: 503, body: "" }),
  receipt: ({ id, from, to, reference, state, failure, note, atMs }, url) =>
    signed(
      {
        msisdn: digits(to),
        to: digits(from),
        "network-code": "310260",
        messageId: id,
        price: "0.00570000",
        status:
          state === "failed"
            ? failure === "expired"
              ? "expired"
              : "failed"
            : state === "sent"
              ? "accepted"
              : state,
        scts: "2611170000",
        "err-code": state === "failed" ? CODES[failure ?? "unreachable"] : "0",
        "api-key": KEY,
        "client-ref": reference ?? undefined,
        timestamp: String(Math.floor(atMs / 1_000)),
        nonce: id,
        note,
      },
      url,
    ),
  inbound: ({ id, from, to, body, atMs }, url) =>
    signed(
      {
        msisdn: digits(from),
        to: digits(to),
        messageId: id,
        text: body,
        type: "text",
        keyword: body.split(/\s/)[0]?.toUpperCase() ?? "",
        "api-key": KEY,
        timestamp: String(Math.floor(atMs / 1_000)),
        nonce: id,
      },
      url,
    ),
};

function status(code: string): DoubleReply {
  const error = { status: code, "error-text": `Error ${code}` };
  return json(200, { "message-count": "1", messages: [error] });
}

function draftOf(form: ReturnType<typeof formIn>): DoubleDraft | DoubleReply {
  const { from, to, text, type = "text", callback } = form;
  if (!from || !to || !text) return status("2");
  const ttl = form["ttl"] === undefined ? null : Number(form["ttl"]);
  if (ttl !== null && !(ttl >= 20_000 && ttl <= 604_800_000)) return status("3");
  const isType = type === "text" || type === "unicode";
  if (!isType || !/^\d{8,15}$/.test(to)) return status("3");
  const [alone, part] = SEGMENT_CHARS[type];
  return {
    from: `+${from}`,
    to: `+${to}`,
    body: text,
    reference: form["client-ref"] ?? null,
    receiptsUrl: callback || null,
    ...(ttl === null ? {} : { validSeconds: ttl / 1_000 }),
    idCount: text.length <= alone ? 1 : Math.ceil(text.length / part),
  };
}
