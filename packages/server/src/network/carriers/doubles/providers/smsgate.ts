import { createHmac } from "node:crypto";
import {
  basic,
  type DoubleCallback,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const [USER, PASSWORD] = ["ABCDEF", "smsgate-password"];
const SIGNING_KEY = "smsgate-signing-key";
const DEVICE = "ffffffffceb0b1db0000018e937c815b";
const ID_CHARS_MAX = 36;

const callback = (
  event: string,
  payload: object,
  id: string,
  url: string,
  atMs: number,
): DoubleCallback => {
  const body = JSON.stringify({ deviceId: DEVICE, event, id, payload, webhookId: "webhook-1" });
  const timestamp = String(Math.floor(atMs / 1_000));
  const signature = createHmac("sha256", SIGNING_KEY)
    .update(body + timestamp)
    .digest("hex");
  return {
    url,
    method: "POST",
    body,
    headers: { ...JSON_TYPE, "X-Signature": signature, "X-Timestamp": timestamp },
  };
};

/** SMSGate (Android): docs.sms-gate.app. The client chooses ids; a known id is a 409. */
export const SMSGATE_DOUBLE: ProviderDouble = {
  name: "smsgate",
  title: "SMSGate (Android)",
  entry: {
    type: "smsgate",
    user: USER,
    password_env: "SMSGATE_PASSWORD",
    signing_key_env: "SMSGATE_SIGNING_KEY",
    sim: 1,
  },
  env: { SMSGATE_PASSWORD: PASSWORD, SMSGATE_SIGNING_KEY: SIGNING_KEY },
  send(call) {
    if (call.path !== "/3rdparty/v1/messages" || call.method !== "POST") return null;
    if (call.headers["authorization"] !== basic(USER, PASSWORD)) {
      return json(401, { message: "Unauthorized" });
    }
    const { id, textMessage, phoneNumbers, ttl, simNumber } = jsonIn(call);
    const isNumber = (value: unknown) => value === undefined || Number.isInteger(value);
    const isWhole = typeof textMessage?.text === "string" && Array.isArray(phoneNumbers);
    if (!isWhole || !isNumber(ttl) || !isNumber(simNumber) || String(id).length > ID_CHARS_MAX) {
      return json(400, { message: "Validation failed" });
    }
    return {
      from: "+14155550100",
      to: phoneNumbers[0],
      body: textMessage.text,
      reference: null,
      receiptsUrl: null,
      ...(id === undefined ? {} : { ownId: id }),
    };
  },
  accepted: ({ ids, to }) =>
    json(202, {
      id: ids[0],
      deviceId: DEVICE,
      state: "Pending",
      isHashed: false,
      isEncrypted: false,
      recipients: [{ phoneNumber: to, state: "Pending" }],
    }),
  repeated: () => json(409, { message: "Message with this ID already exists" }),
  refused: (failure) =>
    failure === "invalid_number" ? json(400, { message: "Invalid phone number" }) : null,
  throttled: () => json(429, { message: "Too many requests" }),
  unavailable: () => json(503, { message: "Queue limit exceeded", code: "QueueLimitExceeded" }),
  receipt({ id, to, state, failure, note, atMs }, url) {
    const payload = {
      messageId: id,
      recipient: to,
      phoneNumber: to,
      simNumber: 1,
      ...(state === "failed" ? { failedAt: isoOf(atMs), reason: failure ?? "unreachable" } : {}),
      ...(note === undefined ? {} : { note }),
    };
    return callback(`sms:${state}`, payload, `evt-${id}-${state}`, url, atMs);
  },
  inbound: ({ id, from, to, body, atMs }, url) =>
    callback(
      "sms:received",
      {
        // Made of the contents, so it is not unique.
        messageId: createHmac("sha256", "id").update(body).digest("hex").slice(0, 8),
        message: body,
        sender: from,
        phoneNumber: from,
        // Android does not always know the SIM's number.
        recipient: to === "+14155550100" ? null : to,
        simNumber: 1,
        receivedAt: isoOf(atMs),
      },
      id,
      url,
      atMs,
    ),
};
