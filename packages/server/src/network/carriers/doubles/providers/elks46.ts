import { basic, FORM_TYPE, formIn, formOf, isoOf, json, type ProviderDouble } from "../double.ts";

const [USER, PASSWORD] = ["u0123456789abcdef", "ELKS0123456789ABCDEF0123456789AB"];

/** 46elks: 46elks.se/docs. It texts the answer to an inbound callback back to the person. */
export const ELKS46_DOUBLE: ProviderDouble = {
  name: "46elks",
  title: "46elks",
  entry: { type: "46elks", user: USER, password_env: "ELKS_PASSWORD" },
  env: { ELKS_PASSWORD: PASSWORD },
  send(call) {
    if (call.path !== "/a1/sms" || call.method !== "POST") return null;
    if (call.headers["authorization"] !== basic(USER, PASSWORD)) {
      return { status: 401, body: "API access requires Basic HTTP authentication" };
    }
    const { from, to, message, whendelivered } = formIn(call);
    if (!from || !message) return { status: 400, body: "Missing key from or message" };
    if (!/^\+\d{8,15}$/.test(to ?? "")) return { status: 400, body: "Invalid to number" };
    return {
      from,
      to: to ?? "",
      body: message,
      reference: null,
      receiptsUrl: whendelivered || null,
    };
  },
  accepted: ({ ids, from, to, body, atMs }) =>
    json(200, {
      status: "created",
      direction: "outgoing",
      id: ids[0],
      from,
      to,
      message: body,
      created: isoOf(atMs),
      cost: 3500,
      parts: 1,
    }),
  refused: (failure) =>
    failure === "invalid_number" ? { status: 400, body: "Invalid to number" } : null,
  throttled: () => ({ status: 429, body: "Too many requests" }),
  unavailable: () => ({ status: 503, body: "Service unavailable" }),
  receipt: ({ id, state, note, atMs }, url) => ({
    url,
    method: "POST",
    headers: FORM_TYPE,
    body: formOf({
      id,
      status: state,
      delivered: state === "delivered" ? isoOf(atMs) : undefined,
      note,
    }),
  }),
  inbound: ({ id, from, to, body, atMs }, url) => ({
    url,
    method: "POST",
    headers: FORM_TYPE,
    body: formOf({ direction: "incoming", id, from, to, message: body, created: isoOf(atMs) }),
  }),
};
