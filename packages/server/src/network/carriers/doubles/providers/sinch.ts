import { createHmac } from "node:crypto";
import {
  type DoubleCall,
  type DoubleCallback,
  type DoubleFailure,
  type DoubleInbound,
  type DoubleReceipt,
  type DoubleRecord,
  type DoubleReply,
  digits,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
  secondsUntil,
} from "../double.ts";

const PLAN = "0123456789abcdef0123456789abcdef";
const TOKEN = "sinch0123456789abcdef0123456789abcdef";
const SECRET = "sinch-webhook-secret";
const CODES: Readonly<Record<DoubleFailure, readonly [status: string, code: number]>> = {
  unreachable: ["Failed", 404],
  invalid_number: ["Failed", 402],
  landline: ["Failed", 402],
  filtered: ["Rejected", 403],
  opted_out: ["Rejected", 413],
  expired: ["Expired", 406],
};

const callback = (event: object, url: string, atMs: number): DoubleCallback => {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(atMs / 1_000));
  const nonce = createHmac("sha256", "nonce").update(body).digest("hex").slice(0, 26);
  const signature = createHmac("sha256", SECRET).update(`${body}.${nonce}.${timestamp}`);
  return {
    url,
    method: "POST",
    body,
    headers: {
      ...JSON_TYPE,
      "x-sinch-webhook-signature": signature.digest("base64"),
      "x-sinch-webhook-signature-nonce": nonce,
      "x-sinch-webhook-signature-timestamp": timestamp,
      "x-sinch-webhook-signature-algorithm": "HmacSHA256",
    },
  };
};

/** Sinch's SMS API (XMS): developers.sinch.com/docs/sms/api-reference. */
export const SINCH_DOUBLE: ProviderDouble = {
  name: "sinch",
  title: "Sinch",
  entry: {
    type: "sinch",
    plan_id: PLAN,
    token_env: "SINCH_TOKEN",
    webhook_secret_env: "SINCH_WEBHOOK_SECRET",
  },
  env: { SINCH_TOKEN: TOKEN, SINCH_WEBHOOK_SECRET: SECRET },
  send(call) {
    if (call.path !== `/xms/v1/${PLAN}/batches` || call.method !== "POST") return null;
    if (call.headers["authorization"] !== `Bearer ${TOKEN}`) return { status: 401, body: "" };
    const { from, to, body, callback_url, client_reference, expire_at } = jsonIn(call);
    const validSeconds = secondsUntil(expire_at, call);
    if (expire_at !== undefined && !(validSeconds > 0)) return invalid("expire_at");
    if (!Array.isArray(to) || !/^\+?\d{8,15}$/.test(to[0])) return invalid("to");
    if (typeof body !== "string" || body === "") return invalid("body");
    return {
      from: `+${digits(String(from))}`,
      to: `+${digits(to[0])}`,
      body,
      reference: client_reference ?? null,
      receiptsUrl: callback_url ?? null,
      ...(expire_at === undefined ? {} : { validSeconds }),
    };
  },
  accepted: ({ ids, from, to, body, reference, atMs }) =>
    json(201, {
      id: ids[0],
      from: digits(from),
      to: [digits(to)],
      canceled: false,
      body,
      type: "mt_text",
      client_reference: reference,
      created_at: isoOf(atMs),
    }),
  refused: (failure) => (failure === "invalid_number" ? invalid("to") : null),
  throttled: () => json(429, { code: "too_many_requests", text: "Too many requests" }),
  unavailable: () => json(503, { code: "internal_error", text: "Try again later" }),
  list: (call, records) => listAnswer(call, records),
  // Only 429 and 5xx are repeated.
  takes: ({ status }) => status !== 429 && status <= 499,
  repeatAfterMs: [5_000, 10_000],
  receipt: (receipt, url) => callback(reportOf(receipt), url, receipt.atMs),
  inbound: (inbound, url) => callback(inboundOf(inbound), url, inbound.atMs),
};

function reportOf(receipt: DoubleReceipt): object {
  const { id, from, to, reference, state, failure, note, atMs } = receipt;
  const [failed, code] = CODES[failure ?? "unreachable"];
  const said = { sent: ["Dispatched", 401], delivered: ["Delivered", 0], failed: [failed, code] };
  return {
    type: "recipient_delivery_report_sms",
    batch_id: id,
    recipient: digits(to),
    originator: digits(from),
    status: said[state][0],
    code: said[state][1],
    at: isoOf(atMs),
    ...(reference === null ? {} : { client_reference: reference }),
    ...(note === undefined ? {} : { note }),
  };
}

function inboundOf({ id, from, to, body, atMs }: DoubleInbound): object {
  return {
    type: "mo_text",
    id,
    from: digits(from),
    to: digits(to),
    body,
    operator_id: "310260",
    received_at: isoOf(atMs),
  };
}

/** Finished delivery reports, or inbound messages: newest first, in pages that count from 0. */
function listAnswer(call: DoubleCall, records: readonly DoubleRecord[]): DoubleReply | null {
  const name = call.path.replace(`/xms/v1/${PLAN}/`, "");
  if (call.method !== "GET" || (name !== "delivery_reports" && name !== "inbounds")) return null;
  if (call.headers["authorization"] !== `Bearer ${TOKEN}`) return { status: 401, body: "" };
  const sinceMs = Date.parse(call.query.get("start_date") ?? "") || 0;
  const size = Math.min(Number(call.query.get("page_size") ?? 30), 100);
  const page = Number(call.query.get("page") ?? 0);
  const all = records
    .filter(({ atMs }) => atMs >= sinceMs)
    .flatMap((record): object[] => {
      const { direction, state } = record;
      if (name === "inbounds") return direction === "inbound" ? [inboundOf(record)] : [];
      if (direction === "inbound" || (state !== "delivered" && state !== "failed")) return [];
      return [reportOf({ ...record, state })];
    });
  const shown = all.slice(page * size, (page + 1) * size);
  return json(200, { count: all.length, page, page_size: shown.length, [name]: shown });
}

function invalid(field: string) {
  return json(400, { code: "syntax_invalid_parameter_format", text: `Invalid value in ${field}` });
}
