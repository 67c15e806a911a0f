import { createHmac } from "node:crypto";
import {
  type DoubleCallback,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const KEY = "uk_0123456789abcdef0123456789abcdef";
const SIGNING_KEY = "httpsms-signing-key";
const TOKEN_SECONDS = 600;

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
export const HTTPSMS_DOUBLE: ProviderDouble = {
  name: "httpsms",
  title: "httpSMS (Android)",
  entry: {
    type: "httpsms",
    api_key_env: "HTTPSMS_KEY",
    signing_key_env: "HTTPSMS_SIGNING_KEY",
  },
  env: { HTTPSMS_KEY: KEY, HTTPSMS_SIGNING_KEY: SIGNING_KEY },
  send(call) {
    if (call.path !== "/v1/messages/send" || call.method !== "POST") return null;
    if (call.headers["x-api-key"] !== KEY)
      return json(401, { status: "error", message: "Unauthorized" });
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
