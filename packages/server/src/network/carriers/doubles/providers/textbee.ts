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

interface Webhook {
  readonly _id: string;
  readonly deliveryUrl: string;
  readonly events: readonly string[];
  readonly isActive: boolean;
}

/** textbee (Android): github.com/vernu/textbee. Inbound messages name the device, not its number. */
export function textbeeDouble(): ProviderDouble {
  const webhooks: Webhook[] = [];
  // Each event goes to the first webhook that has it.
  const urlOf = (event: string) =>
    webhooks.find(({ isActive, events }) => isActive && events.includes(event))?.deliveryUrl ??
    null;
  return {
    ...ANSWERS,
    other: (call) => accountAnswer(call, webhooks),
    inboundUrl: () => urlOf("MESSAGE_RECEIVED"),
    receiptsUrl: () => urlOf("MESSAGE_DELIVERED"),
  };
}

function accountAnswer(call: DoubleCall, webhooks: Webhook[]): DoubleReply | null {
  const { path, method } = call;
  const isDevices = path === "/api/v1/gateway/devices" && method === "GET";
  if (!isDevices && !path.startsWith("/api/v1/webhooks")) return null;
  if (call.headers["x-api-key"] !== KEY) return json(401, { error: "Unauthorized" });
  if (isDevices) return json(200, { data: [{ _id: DEVICE, brand: "Google", enabled: true }] });
  if (method === "GET") return json(200, { data: webhooks });
  const { deliveryUrl, signingSecret = "", events, isActive = true } = jsonIn(call);
  if (signingSecret.length < 20) return json(400, { message: "Invalid signing secret" });
  if (!/^https?:/.test(deliveryUrl ?? "")) return json(400, { message: "Invalid delivery URL" });
  const given = path.replace("/api/v1/webhooks/", "");
  const at = method === "PATCH" ? webhooks.findIndex(({ _id }) => _id === given) : webhooks.length;
  if (at < 0) return json(404, { message: "Subscription not found" });
  const isKnown = (one: Webhook) => one.events.join() === events.join();
  if (method === "POST" && webhooks.some(isKnown)) {
    return json(400, { message: "You have already subscribed to this event" });
  }
  const webhook = { _id: webhooks[at]?._id ?? `webhook-${at}`, deliveryUrl, events, isActive };
  webhooks[at] = webhook;
  return json(method === "POST" ? 201 : 200, { data: webhook });
}

const ANSWERS: Omit<ProviderDouble, "other" | "inboundUrl" | "receiptsUrl"> = {
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
