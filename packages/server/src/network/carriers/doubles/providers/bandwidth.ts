import {
  basic,
  type DoubleCallback,
  type DoubleFailure,
  isoOf,
  JSON_TYPE,
  json,
  jsonIn,
  type ProviderDouble,
  secondsUntil,
} from "../double.ts";

const ACCOUNT = "9900000";
const APPLICATION = "93de2206-9669-4e07-948d-329f4b722ee2";
const [USER, PASSWORD] = ["double", "bandwidth-password"];
const [CALLBACK_USER, CALLBACK_PASSWORD] = ["bandwidth", "callback-password"];
const CODES: Readonly<Record<DoubleFailure, number>> = {
  unreachable: 4701,
  invalid_number: 4720,
  landline: 4700,
  filtered: 4770,
  opted_out: 4775,
  expired: 4360,
};

const UNAUTHORIZED = json(401, {
  type: "authentication-error",
  description: "Access is denied",
});
const path = `/api/v2/users/${ACCOUNT}/messages`;
const callback = (event: object, url: string): DoubleCallback => ({
  url,
  method: "POST",
  body: JSON.stringify([event]),
  headers: { ...JSON_TYPE, authorization: basic(CALLBACK_USER, CALLBACK_PASSWORD) },
});

/** Bandwidth: dev.bandwidth.com/docs/messaging. Callbacks are arrays, and log in with Basic. */
export const BANDWIDTH_DOUBLE: ProviderDouble = {
  name: "bandwidth",
  title: "Bandwidth",
  entry: {
    type: "bandwidth",
    account_id: ACCOUNT,
    application_id: APPLICATION,
    user: USER,
    password_env: "BANDWIDTH_PASSWORD",
    callback_user: CALLBACK_USER,
    callback_password_env: "BANDWIDTH_CALLBACK_PASSWORD",
  },
  env: { BANDWIDTH_PASSWORD: PASSWORD, BANDWIDTH_CALLBACK_PASSWORD: CALLBACK_PASSWORD },
  other(call) {
    if (call.path !== `/api/v2/users/${ACCOUNT}/media` || call.method !== "GET") return null;
    return call.headers["authorization"] === basic(USER, PASSWORD) ? json(200, []) : UNAUTHORIZED;
  },
  send(call) {
    if (call.path !== path || call.method !== "POST") return null;
    if (call.headers["authorization"] !== basic(USER, PASSWORD)) return UNAUTHORIZED;
    const { applicationId, to, from, text, tag, expiration } = jsonIn(call);
    const invalid = (description: string) => json(400, { type: "request-validation", description });
    if (applicationId !== APPLICATION) return invalid("Application could not be found");
    if (!Array.isArray(to) || !/^\+1\d{10}$/.test(to[0])) return invalid("'to' must be E164");
    if (typeof text !== "string" || text === "" || text.length > 2_048) return invalid("'text'");
    const draft = { from, to: to[0], body: text, reference: tag ?? null, receiptsUrl: null };
    if (expiration === undefined) return draft;
    const validSeconds = secondsUntil(expiration, call);
    return validSeconds > 0
      ? { ...draft, validSeconds }
      : invalid("'expiration' must be in the future");
  },
  accepted: ({ ids, from, to, body, reference, atMs }) =>
    json(202, {
      id: ids[0],
      time: isoOf(atMs),
      owner: from,
      from,
      to: [to],
      applicationId: APPLICATION,
      direction: "out",
      segmentCount: 1,
      text: body,
      tag: reference,
    }),
  refused: (failure) =>
    failure === "invalid_number"
      ? json(400, { type: "request-validation", description: "'to' is not a number" })
      : null,
  answerMs: 10_000,
  throttled: () =>
    json(429, { type: "max-message-queue-size-exceeded", description: "Queue size exceeded" }),
  unavailable: () => json(503, { type: "service-unavailable", description: "Try again" }),
  receipt({ id, from, to, reference, state, failure, note, atMs }, url) {
    const type = {
      sent: "message-sending",
      delivered: "message-delivered",
      failed: "message-failed",
    };
    const event = {
      type: type[state],
      time: isoOf(atMs),
      description: "ok",
      to,
      ...(state === "failed" ? { errorCode: CODES[failure ?? "unreachable"] } : {}),
      message: {
        id,
        time: isoOf(atMs),
        owner: from,
        direction: "out",
        from,
        to: [to],
        applicationId: APPLICATION,
        segmentCount: 1,
        text: "",
        media: null,
        ...(reference === null ? {} : { tag: reference }),
      },
      ...(note === undefined ? {} : { note }),
    };
    return callback(event, url);
  },
  inbound: ({ id, from, to, body, atMs }, url) =>
    callback(
      {
        type: "message-received",
        time: isoOf(atMs),
        description: "Incoming message received",
        to,
        message: {
          id,
          time: isoOf(atMs),
          owner: to,
          direction: "in",
          from,
          to: [to],
          applicationId: APPLICATION,
          segmentCount: 1,
          text: body,
        },
      },
      url,
    ),
};
