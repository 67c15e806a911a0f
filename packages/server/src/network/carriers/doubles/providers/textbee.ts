import { createHmac } from "node:crypto";
import {
  type DoubleCallback,
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
    api_key_env: "TEXTBEE_KEY",
    signing_secret_env: "TEXTBEE_SIGNING_SECRET",
    phone_number: PHONE,
  },
  env: { TEXTBEE_KEY: KEY, TEXTBEE_SIGNING_SECRET: SECRET },
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
