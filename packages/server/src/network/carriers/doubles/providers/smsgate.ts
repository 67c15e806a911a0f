import { createHmac } from "node:crypto";
import {
  basic,
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

const [USER, PASSWORD] = ["ABCDEF", "smsgate-password"];
const SIGNING_KEY = "smsgate-signing-key";
const DEVICE = "ffffffffceb0b1db0000018e937c815b";
const ID_CHARS_MAX = 36;
const EVENTS = ["sms:received", "sms:sent", "sms:delivered", "sms:failed", "sms:cancelled"];
const SERVER_PREFIX = "/3rdparty/v1";
const UNAUTHORIZED = json(401, { message: "Unauthorized" });

/** Path on the app's own server, or on a cloud or private server below its prefix. */
function routeOf({ path }: DoubleCall): string {
  return path.startsWith(SERVER_PREFIX) ? path.slice(SERVER_PREFIX.length) : path;
}

function isKnown({ headers }: DoubleCall): boolean {
  return headers["authorization"] === basic(USER, PASSWORD);
}

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
export function smsgateDouble(): ProviderDouble {
  const webhooks = new Map<string, { readonly event: string; readonly url: string }>();
  const urlOf = (event: string) =>
    [...webhooks.values()].find((webhook) => webhook.event === event)?.url ?? null;
  return {
    ...ANSWERS,
    other(call) {
      if (routeOf(call) !== "/webhooks" || call.method !== "POST") return null;
      if (!isKnown(call)) return UNAUTHORIZED;
      const { id = `webhook-${webhooks.size}`, url, event } = jsonIn(call);
      const isRight = /^https?:/.test(url ?? "") && EVENTS.includes(event);
      if (!isRight || String(id).length > ID_CHARS_MAX) {
        return json(400, { message: "Validation failed" });
      }
      webhooks.set(id, { event, url });
      return json(201, { id, url, event });
    },
    inboundUrl: () => urlOf("sms:received"),
    receiptsUrl: () => urlOf("sms:delivered"),
  };
}

const ANSWERS: Omit<ProviderDouble, "other" | "inboundUrl" | "receiptsUrl"> = {
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
  list: (call, records) => listAnswer(call, records),
  send(call) {
    if (routeOf(call) !== "/messages" || call.method !== "POST") return null;
    if (!isKnown(call)) return UNAUTHORIZED;
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
      ...(ttl === undefined ? {} : { validSeconds: ttl }),
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

/** Messages or the inbox: an array, newest first, from an offset. */
function listAnswer(call: DoubleCall, records: readonly DoubleRecord[]): DoubleReply | null {
  const isInbox = routeOf(call) === "/inbox";
  const isMessages = routeOf(call) === "/messages";
  if (call.method !== "GET" || (!isInbox && !isMessages)) return null;
  if (!isKnown(call)) return UNAUTHORIZED;
  if (isInbox && call.path.startsWith(SERVER_PREFIX)) {
    return json(501, { message: "Inbox API is not implemented yet" });
  }
  const sinceMs = Date.parse(call.query.get("from") ?? "") || 0;
  const limit = Number(call.query.get("limit") ?? 50);
  const offset = Number(call.query.get("offset") ?? 0);
  if (!(limit >= 1 && limit <= 500)) return json(400, { message: "failed to parse query" });
  const direction = isInbox ? "inbound" : "outbound";
  const all = records.filter((one) => one.direction === direction && one.atMs >= sinceMs);
  const shown = all.slice(offset, offset + limit).map(isInbox ? incomingOf : stateOf);
  const reply = json(200, shown);
  return { ...reply, headers: { ...reply.headers, "x-total-count": String(all.length) } };
}

function incomingOf({ id, from, to, body, atMs }: DoubleRecord): object {
  return {
    id,
    type: "SMS",
    sender: from,
    recipient: to === "+14155550100" ? null : to,
    simNumber: 1,
    contentPreview: body,
    isEncrypted: false,
    createdAt: isoOf(atMs),
    attachments: [],
  };
}

function stateOf({ id, to, state, failure, atMs }: DoubleRecord): object {
  const word = state === "queued" ? "Pending" : `${state.charAt(0).toUpperCase()}${state.slice(1)}`;
  return {
    id,
    deviceId: DEVICE,
    state: word,
    isHashed: false,
    isEncrypted: false,
    recipients: [{ phoneNumber: to, state: word, error: failure }],
    states: { [word]: isoOf(atMs) },
  };
}
