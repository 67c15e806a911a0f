import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import {
  type DoubleCall,
  type DoubleFailure,
  type DoubleReply,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";
import { type EventMaker, tenDlcDouble } from "./telnyx-10dlc.ts";

const KEY = "KEY0123456789ABCDEF_telnyxdouble";
/** Ed25519 key in PKCS #8, made of a known text, so that every double has the same public key. */
const PRIVATE_KEY = Buffer.concat([
  Buffer.from("302e020100300506032b657004220420", "hex"),
  createHash("sha256").update("double of Telnyx").digest(),
]);
const PROFILE = "4001819e-0000-4000-8000-000000000001";
/** Codes of the error reference. */
const CODES: Readonly<Record<DoubleFailure, string>> = {
  unreachable: "40008",
  invalid_number: "40310",
  landline: "40001",
  filtered: "40002",
  opted_out: "40300",
  expired: "40005",
};

const NUMBERS = ["+14155550100", "+14155550101"];

interface Profile {
  readonly id: string;
  readonly name: string;
  webhook_url: string | null;
}

/** Telnyx, API v2: developers.telnyx.com/docs/messaging. */
export function telnyxDouble(): ProviderDouble {
  const privateKey = createPrivateKey({ key: PRIVATE_KEY, format: "der", type: "pkcs8" });
  const profile: Profile = { id: PROFILE, name: "Double", webhook_url: null };
  const event: EventMaker = (event_type, payload, url, atMs) => {
    const body = JSON.stringify({
      data: {
        event_type,
        id: `evt-${atMs}`,
        occurred_at: isoOf(atMs),
        payload,
        record_type: "event",
      },
      meta: { attempt: 1, delivered_to: url },
    });
    const timestamp = String(Math.floor(atMs / 1_000));
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey);
    return {
      url,
      method: "POST",
      body,
      headers: {
        ...JSON_TYPE,
        "telnyx-timestamp": timestamp,
        "telnyx-signature-ed25519": signature.toString("base64"),
      },
    };
  };
  const tenDlc = tenDlcDouble(event);
  return {
    name: "telnyx",
    title: "Telnyx",
    entry: { type: "telnyx", api_key_env: "TELNYX_API_KEY", public_key_env: "TELNYX_PUBLIC_KEY" },
    env: {
      TELNYX_API_KEY: KEY,
      TELNYX_PUBLIC_KEY: createPublicKey(privateKey)
        .export({ format: "der", type: "spki" })
        .subarray(-32)
        .toString("base64"),
    },
    other(call) {
      if (call.path.startsWith("/v2/10dlc/") && !isKey(call)) return UNAUTHORIZED;
      return tenDlc.answer(call) ?? otherAnswer(call, profile);
    },
    takeCallbacks: tenDlc.takeCallbacks,
    inboundUrl: () => profile.webhook_url,
    // Three tries, each of two seconds.
    answerMs: 2_000,
    repeatAfterMs: [1_000, 5_000],
    send(call) {
      if (call.path !== "/v2/messages" || call.method !== "POST") return null;
      if (!isKey(call)) return UNAUTHORIZED;
      const { from, to, text, tags, webhook_url } = jsonIn(call);
      if (typeof text !== "string" || text === "") {
        return problem(422, "40302", "The message has no text.");
      }
      if (!/^\+1\d{10}$/.test(to)) return problem(400, "40310", "Invalid 'to' address");
      const receiptsUrl = webhook_url ?? profile.webhook_url;
      return { from, to, body: text, reference: tags?.[0] ?? null, receiptsUrl };
    },
    ...ANSWERS,
    receipt: receiptsBy(event),
    inbound: inboundBy(event),
  };
}

const ANSWERS: Pick<ProviderDouble, "accepted" | "refused" | "throttled" | "unavailable"> = {
  accepted: ({ ids, from, to, body, reference }) =>
    json(200, {
      data: {
        record_type: "message",
        direction: "outbound",
        id: ids[0],
        type: "SMS",
        from: { phone_number: from },
        to: [{ phone_number: to, status: "queued" }],
        text: body,
        tags: reference === null ? [] : [reference],
        errors: [],
      },
    }),
  refused: (failure) =>
    failure === "unreachable" || failure === "expired"
      ? null
      : problem(failure === "opted_out" ? 403 : 422, CODES[failure], "The message was refused."),
  throttled: () => ({
    ...problem(429, "10011", "Too many requests"),
    headers: { ...JSON_TYPE, "x-ratelimit-limit": "100", "x-ratelimit-reset": "1" },
  }),
  unavailable: () => problem(503, "10007", "Service unavailable"),
};

function receiptsBy(event: EventMaker): ProviderDouble["receipt"] {
  return ({ id, from, to, reference, state, failure, note, atMs }, url) => {
    const failed = state === "failed";
    const payload = {
      record_type: "message",
      direction: "outbound",
      id,
      from: { phone_number: from },
      to: [{ phone_number: to, status: failed ? "delivery_failed" : state }],
      tags: reference === null ? [] : [reference],
      parts: 1,
      cost: { amount: "0.0040", currency: "USD" },
      errors: failed ? [{ code: CODES[failure ?? "unreachable"], title: "Not delivered" }] : [],
      ...(note === undefined ? {} : { note }),
    };
    return event(state === "sent" ? "message.sent" : "message.finalized", payload, url, atMs);
  };
}

function inboundBy(event: EventMaker): ProviderDouble["inbound"] {
  return ({ id, from, to, body, atMs }, url) => {
    const payload = {
      record_type: "message",
      direction: "inbound",
      id,
      type: "SMS",
      from: { phone_number: from, carrier: "T-MOBILE USA, INC.", line_type: "Wireless" },
      to: [{ phone_number: to, status: "webhook_delivered" }],
      text: body,
      media: [],
      tags: [],
    };
    return event("message.received", payload, url, atMs);
  };
}

function isKey({ headers }: DoubleCall): boolean {
  return headers["authorization"] === `Bearer ${KEY}`;
}

function problem(status: number, code: string, title: string): DoubleReply {
  return json(status, { errors: [{ code, title, detail: title }] });
}

const UNAUTHORIZED = problem(401, "10009", "Authentication failed");

/** Numbers of the account, and the profile whose webhook they use. */
function otherAnswer(call: DoubleCall, profile: Profile): DoubleReply | null {
  const { path, method } = call;
  const isNumbers = path === "/v2/phone_numbers/messaging" && method === "GET";
  const isProfiles = path === "/v2/messaging_profiles" && method === "GET";
  const isProfile = path === `/v2/messaging_profiles/${PROFILE}`;
  if (!isNumbers && !isProfiles && !isProfile) return null;
  if (!isKey(call)) return UNAUTHORIZED;
  const meta = { total_pages: 1, page_number: 1, page_size: 250 };
  if (isNumbers) {
    const data = NUMBERS.map((phone_number) => ({
      phone_number,
      country_code: "US",
      messaging_profile_id: PROFILE,
      features: { sms: { domestic_two_way: true } },
    }));
    return json(200, { data, meta });
  }
  if (isProfiles) return json(200, { data: [profile], meta });
  if (method === "PATCH") profile.webhook_url = jsonIn(call).webhook_url ?? profile.webhook_url;
  return json(200, { data: profile });
}
