import {
  type DoubleFailure,
  digits,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const KEY = "infobip0123456789abcdef-01234567-89ab";
/** Status name and group, and the error of a receipt. */
const CODES: Readonly<
  Record<DoubleFailure, readonly [name: string, group: string, error: number]>
> = {
  unreachable: ["UNDELIVERABLE_NOT_DELIVERED", "UNDELIVERABLE", 27],
  invalid_number: ["UNDELIVERABLE_NOT_DELIVERED", "UNDELIVERABLE", 1],
  landline: ["UNDELIVERABLE_REJECTED_OPERATOR", "UNDELIVERABLE", 1],
  filtered: ["REJECTED_OPERATOR", "REJECTED", 607],
  opted_out: ["REJECTED_DESTINATION", "REJECTED", 603],
  expired: ["EXPIRED_EXPIRED", "EXPIRED", 0],
};

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  SECONDS: 1,
  MINUTES: 60,
  HOURS: 3_600,
  DAYS: 86_400,
};

/** Null without a validity period; not a number for one that is none. */
function validityOf(period: { amount?: unknown; timeUnit?: string } | undefined): number | null {
  if (period === undefined) return null;
  const { amount, timeUnit = "MINUTES" } = period;
  return Number.isInteger(amount)
    ? Number(amount) * (UNIT_SECONDS[timeUnit] ?? Number.NaN)
    : Number.NaN;
}

/** Infobip's SMS API v3: www.infobip.com/docs/api/channels/sms. Callbacks hold results of many. */
export const INFOBIP_DOUBLE: ProviderDouble = {
  name: "infobip",
  title: "Infobip",
  entry: { type: "infobip", api_key_env: "INFOBIP_API_KEY" },
  env: { INFOBIP_API_KEY: KEY },
  send(call) {
    if (call.path !== "/sms/3/messages" || call.method !== "POST") return null;
    if (call.headers["authorization"] !== `App ${KEY}`) {
      return json(401, { errorCode: "E401", description: "Unauthorized", violations: [] });
    }
    const [message] = jsonIn(call).messages ?? [];
    const [destination] = message?.destinations ?? [];
    const text = message?.content?.text;
    if (!message?.sender || !/^\+?\d{8,15}$/.test(destination?.to ?? "") || !text) {
      return json(400, { errorCode: "E400", description: "Request cannot be processed" });
    }
    const { messageId } = destination;
    const validSeconds = validityOf(message.options?.validityPeriod);
    if (validSeconds !== null && !(validSeconds > 0)) {
      return json(400, { errorCode: "E400", description: "validityPeriod is invalid" });
    }
    return {
      from: `+${digits(message.sender)}`,
      to: `+${digits(destination.to)}`,
      body: text,
      reference: null,
      receiptsUrl: message.webhooks?.delivery?.url ?? null,
      ...(messageId === undefined ? {} : { ownId: messageId }),
      ...(validSeconds === null ? {} : { validSeconds }),
    };
  },
  accepted: ({ ids, to }) =>
    json(200, {
      bulkId: "bulk-1",
      messages: [
        {
          messageId: ids[0],
          destination: digits(to),
          status: { groupId: 1, groupName: "PENDING", id: 26, name: "PENDING_ACCEPTED" },
        },
      ],
    }),
  refused: (failure) =>
    failure === "unreachable" || failure === "expired"
      ? null
      : json(200, {
          messages: [
            {
              messageId: "refused",
              status: { groupId: 5, groupName: "REJECTED", id: 6, name: "REJECTED_NETWORK" },
            },
          ],
        }),
  throttled: () => json(429, { errorCode: "E429", description: "Too many requests" }),
  unavailable: () => json(503, { errorCode: "E503", description: "Service unavailable" }),
  receipt({ id, to, state, failure, note, atMs }, url) {
    const [name, group, error] = CODES[failure ?? "unreachable"];
    const said = {
      sent: ["DELIVERED_TO_OPERATOR", "DELIVERED", 0],
      delivered: ["DELIVERED_TO_HANDSET", "DELIVERED", 0],
      failed: [name, group, error],
    } as const;
    const [statusName, groupName, errorId] = said[state];
    const result = {
      bulkId: "bulk-1",
      messageId: id,
      to: digits(to),
      sentAt: isoOf(atMs),
      doneAt: isoOf(atMs),
      messageCount: 1,
      price: { pricePerMessage: 0.0075, currency: "USD" },
      status: { groupName, name: statusName },
      error: { id: errorId, groupName: errorId === 0 ? "OK" : "HANDSET_ERRORS" },
      ...(note === undefined ? {} : { note }),
    };
    return {
      url,
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ results: [result] }),
    };
  },
  inbound: ({ id, from, to, body, atMs }, url) => ({
    url,
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({
      results: [
        {
          messageId: id,
          from: digits(from),
          to: digits(to),
          text: body,
          cleanText: body,
          keyword: "",
          receivedAt: isoOf(atMs),
          smsCount: 1,
        },
      ],
      messageCount: 1,
      pendingMessageCount: 0,
    }),
  }),
};
