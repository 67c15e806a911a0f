import { createHmac } from "node:crypto";
import {
  type DoubleCall,
  type DoubleCallback,
  type DoubleReply,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const KEY = "uk_0123456789abcdef0123456789abcdef";
const SIGNING_KEY = "httpsms-signing-key";
const TOKEN_SECONDS = 600;
const PHONES = ["+14155550100", "+14155550101"];
const UNAUTHORIZED = json(401, { status: "error", message: "Unauthorized" });

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly signing_key: string;
  readonly phone_numbers: readonly string[];
}

const callback = (type: string, data: object, url: string, atMs: number): DoubleCallback => {
  const seconds = Math.floor(atMs / 1_000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    aud: url,
    exp: seconds + TOKEN_SECONDS,
    iat: seconds,
    iss: "api.httpsms.com",
    sub: "user",
  };
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  const token = `${text}.${createHmac("sha256", SIGNING_KEY).update(text).digest("base64url")}`;
  return {
    url,
    method: "POST",
    body: JSON.stringify({
      specversion: "1.0",
      id: `evt-${atMs}`,
      source: "/v1/messages",
      type,
      datacontenttype: "application/json",
      time: isoOf(atMs),
      data,
    }),
    headers: { ...JSON_TYPE, "X-Event-Type": type, authorization: `Bearer ${token}` },
  };
};

/** httpSMS (Android): docs.httpsms.com/webhooks. Events are CloudEvents with a token. */
export function httpsmsDouble(): ProviderDouble {
  const webhooks: Webhook[] = [];
  const urlOf = (event: string) =>
    webhooks.find(({ events }) => events.includes(event))?.url ?? null;
  return {
    ...ANSWERS,
    other: (call) => accountAnswer(call, webhooks),
    inboundUrl: () => urlOf("message.phone.received"),
    receiptsUrl: () => urlOf("message.phone.delivered"),
  };
}

const ANSWERS: Omit<ProviderDouble, "other" | "inboundUrl" | "receiptsUrl"> = {
  name: "httpsms",
  title: "httpSMS (Android)",
  entry: {
    type: "httpsms",
    api_key_env: "HTTPSMS_API_KEY",
    signing_key_env: "HTTPSMS_SIGNING_KEY",
  },
  env: { HTTPSMS_API_KEY: KEY, HTTPSMS_SIGNING_KEY: SIGNING_KEY },
  send(call) {
    if (call.path !== "/v1/messages/send" || call.method !== "POST") return null;
    if (call.headers["x-api-key"] !== KEY) return UNAUTHORIZED;
    const { from, to, content, request_id } = jsonIn(call);
    if (!content || !/^\+\d{8,15}$/.test(to ?? "")) {
      return json(422, {
        status: "error",
        message: "validation errors",
        data: { to: ["invalid"] },
      });
    }
    return { from, to, body: content, reference: request_id ?? null, receiptsUrl: null };
  },
  accepted: ({ ids, from, to, body, reference, atMs }) =>
    json(200, {
      status: "success",
      message: "message added to queue",
      data: {
        id: ids[0],
        owner: from,
        contact: to,
        content: body,
        request_id: reference,
        status: "pending",
        type: "mobile-terminated",
        created_at: isoOf(atMs),
      },
    }),
  refused: (failure) =>
    failure === "invalid_number"
      ? json(422, { status: "error", message: "validation errors", data: { to: ["invalid"] } })
      : null,
  throttled: () => json(429, { status: "error", message: "too many requests" }),
  unavailable: () => json(503, { status: "error", message: "unavailable" }),
  receipt({ id, from, to, reference, state, failure, note, atMs }, url) {
    const isExpired = failure === "expired";
    const type = {
      sent: "message.phone.sent",
      delivered: "message.phone.delivered",
      failed: isExpired ? "message.send.expired" : "message.send.failed",
    }[state];
    const data = {
      ...(state === "failed" && isExpired ? { message_id: id, is_final: true } : { id }),
      owner: from,
      contact: to,
      ...(reference === null ? {} : { request_id: reference }),
      ...(state === "failed" ? { error_message: failure ?? "GENERIC_FAILURE" } : {}),
      timestamp: isoOf(atMs),
      ...(note === undefined ? {} : { note }),
    };
    return callback(type, data, url, atMs);
  },
  inbound: ({ id, from, to, body, atMs }, url) =>
    callback(
      "message.phone.received",
      {
        message_id: id,
        owner: to,
        contact: from,
        content: body,
        sim: "SIM1",
        timestamp: isoOf(atMs),
      },
      url,
      atMs,
    ),
};

/** Phones of the account, and its webhooks. Pages have at most 20 items. */
function accountAnswer(call: DoubleCall, webhooks: Webhook[]): DoubleReply | null {
  const { path, method, query } = call;
  const isPhones = path === "/v1/phones" && method === "GET";
  if (!isPhones && !path.startsWith("/v1/webhooks")) return null;
  if (call.headers["x-api-key"] !== KEY) return UNAUTHORIZED;
  const skip = Number(query.get("skip") ?? 0);
  const limit = Number(query.get("limit") ?? 20);
  if (method === "GET") {
    if (!(limit >= 1 && limit <= 20)) return invalid("limit");
    const all = isPhones ? PHONES.map((phone_number) => ({ phone_number, sim: "SIM1" })) : webhooks;
    const data = all.slice(skip, skip + limit);
    return json(200, { status: "success", message: `fetched ${data.length}`, data });
  }
  return storeWebhook(call, webhooks);
}

function storeWebhook({ path, method, text }: DoubleCall, webhooks: Webhook[]): DoubleReply {
  const { url, events, signing_key = "", phone_numbers } = JSON.parse(text);
  if (!/^https?:/.test(url ?? "")) return invalid("url");
  if (!Array.isArray(events) || events.length === 0) return invalid("events");
  if (!Array.isArray(phone_numbers) || phone_numbers.some((one) => !PHONES.includes(one))) {
    return invalid("phone_numbers");
  }
  const given = path.replace("/v1/webhooks/", "");
  const at = method === "PUT" ? webhooks.findIndex(({ id }) => id === given) : webhooks.length;
  if (at < 0) return json(404, { status: "error", message: "no such webhook" });
  const id = webhooks[at]?.id ?? `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
  const webhook = { id, url, events, signing_key, phone_numbers };
  webhooks[at] = webhook;
  const status = method === "PUT" ? 200 : 201;
  return json(status, { status: "success", message: "webhook stored", data: webhook });
}

function invalid(field: string): DoubleReply {
  return json(422, {
    status: "error",
    message: "validation errors",
    data: { [field]: ["invalid"] },
  });
}
