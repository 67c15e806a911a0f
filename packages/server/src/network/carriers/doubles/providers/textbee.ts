import { createHmac } from "node:crypto";
import {
  type DoubleCall,
  type DoubleCallback,
  type DoubleRecord,
  type DoubleReply,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const DEVICE = "65f0123456789abcdef01234";
const KEY = "01234567-89ab-4cde-8f01-23456789abcd";
const SECRET = "textbee-signing-secret";
const PHONE = "+14155550100";

const callback = (event: object, url: string): DoubleCallback => {
  const body = JSON.stringify({ deviceId: DEVICE, webhookSubscriptionId: "sub-1", ...event });
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  return { url, method: "POST", body, headers: { ...JSON_TYPE, "X-Signature": signature } };
};

/** textbee (Android): github.com/vernu/textbee. Inbound messages name the device, not its number. */
export const TEXTBEE_DOUBLE: ProviderDouble = {
  name: "textbee",
  title: "textbee (Android)",
  entry: {
    type: "textbee",
    device_id: DEVICE,
    api_key_env: "TEXTBEE_API_KEY",
    signing_secret_env: "TEXTBEE_SIGNING_SECRET",
    phone_number: PHONE,
  },
  env: { TEXTBEE_API_KEY: KEY, TEXTBEE_SIGNING_SECRET: SECRET },
  list: (call, records) => listAnswer(call, records),
  send(call) {
    if (call.path !== `/api/v1/gateway/devices/${DEVICE}/send-sms`) return null;
    if (call.headers["x-api-key"] !== KEY) return json(401, { error: "Unauthorized" });
    const { recipients, message } = jsonIn(call);
    if (!Array.isArray(recipients) || recipients.length === 0 || !message) {
      return json(400, { success: false, error: "Invalid request" });
    }
    return { from: PHONE, to: recipients[0], body: message, reference: null, receiptsUrl: null };
  },
  accepted: ({ ids }) =>
    json(201, {
      data: {
        success: true,
        message: "SMS added to queue for processing",
        smsBatchId: ids[0],
        recipientCount: 1,
      },
    }),
  refused: (failure) =>
    failure === "invalid_number" ? json(400, { error: "Invalid recipient" }) : null,
  throttled: () => json(429, { message: "You have reached your limit" }),
  unavailable: () => json(503, { message: "Service unavailable" }),
  receipt({ id, to, state, failure, note, atMs }, url) {
    const word = { sent: "SENT", delivered: "DELIVERED", failed: "FAILED" }[state];
    return callback(
      {
        webhookEvent: `MESSAGE_${word}`,
        smsId: `sms-${id}`,
        smsBatchId: id,
        status: word.toLowerCase(),
        recipient: to,
        idempotencyKey: `${id}-${state}`,
        ...(state === "failed"
          ? { errorCode: failure ?? "unreachable", failedAt: isoOf(atMs) }
          : {}),
        ...(note === undefined ? {} : { note }),
      },
      url,
    );
  },
  inbound: ({ id, from, body, atMs }, url) =>
    callback(
      {
        webhookEvent: "MESSAGE_RECEIVED",
        smsId: id,
        sender: from,
        message: body,
        receivedAt: isoOf(atMs),
      },
      url,
    ),
};

/** Messages of the phone, newest first, in pages that count from 1. */
function listAnswer(call: DoubleCall, records: readonly DoubleRecord[]): DoubleReply | null {
  if (call.path !== `/api/v1/gateway/devices/${DEVICE}/messages` || call.method !== "GET") {
    return null;
  }
  if (call.headers["x-api-key"] !== KEY) return json(401, { error: "Unauthorized" });
  const type = call.query.get("type");
  const page = Number(call.query.get("page") ?? 1);
  const limit = Math.min(Number(call.query.get("limit") ?? 50), 100);
  const isWanted = ({ direction }: DoubleRecord) =>
    type === null || (type === "received") === (direction === "inbound");
  const all = records.filter(isWanted);
  const data = all.slice((page - 1) * limit, page * limit).map(listed);
  const totalPages = Math.ceil(all.length / limit);
  return json(200, { meta: { page, limit, total: all.length, totalPages }, data });
}

function listed({ id, direction, from, to, body, state, failure, atMs }: DoubleRecord): object {
  const device = { _id: DEVICE, brand: "Google", model: "Pixel", enabled: true };
  const common = { device, message: body, createdAt: isoOf(atMs), updatedAt: isoOf(atMs) };
  if (direction === "inbound") {
    const times = { receivedAt: isoOf(atMs) };
    return { _id: id, ...common, type: "RECEIVED", status: "received", sender: from, ...times };
  }
  return {
    _id: `sms-${id}`,
    ...common,
    smsBatch: id,
    type: "SENT",
    status: state === "queued" ? "pending" : state,
    recipient: to,
    requestedAt: isoOf(atMs),
    ...(failure === null ? {} : { errorCode: failure, errorMessage: failure }),
  };
}
