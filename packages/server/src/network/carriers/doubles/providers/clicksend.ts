import {
  basic,
  type DoubleFailure,
  FORM_TYPE,
  formOf,
  json,
  jsonIn,
  type ProviderDouble,
} from "../double.ts";

const [USER, KEY] = ["double", "01234567-89AB-CDEF-0123-456789ABCDEF"];
const REFUSALS: Partial<Record<DoubleFailure, string>> = { invalid_number: "INVALID_RECIPIENT" };

const answer = (status: string, fields: object = {}) =>
  json(200, {
    http_code: 200,
    response_code: "SUCCESS",
    response_msg: "Messages queued for delivery.",
    data: {
      total_price: 0.02,
      total_count: 1,
      queued_count: 1,
      messages: [{ ...fields, status }],
    },
  });

/** ClickSend: developers.clicksend.com/docs/messaging/sms. A refusal is a word in a 200. */
export const CLICKSEND_DOUBLE: ProviderDouble = {
  name: "clicksend",
  title: "ClickSend",
  entry: { type: "clicksend", user: USER, api_key_env: "CLICKSEND_KEY" },
  env: { CLICKSEND_KEY: KEY },
  send(call) {
    if (call.path !== "/v3/sms/send" || call.method !== "POST") return null;
    if (call.headers["authorization"] !== basic(USER, KEY)) {
      return json(401, { http_code: 401, response_code: "UNAUTHORIZED" });
    }
    const [message] = jsonIn(call).messages ?? [];
    const { to, from, body, custom_string } = message ?? {};
    if (!body) return answer("EMPTY_MESSAGE");
    if (!/^\+\d{8,15}$/.test(to ?? "")) return answer("INVALID_RECIPIENT");
    return { from, to, body, reference: custom_string ?? null, receiptsUrl: null };
  },
  accepted: ({ ids, from, to, body, reference }) =>
    answer("SUCCESS", { message_id: ids[0], from, to, body, custom_string: reference }),
  refused(failure) {
    const word = REFUSALS[failure];
    return word === undefined ? null : answer(word);
  },
  throttled: () => json(429, { http_code: 429, response_code: "TOO_MANY_REQUESTS" }),
  unavailable: () => json(503, { http_code: 503, response_code: "INTERNAL_SERVER_ERROR" }),
  receipt({ id, from, to, reference, state, failure, note, atMs }, url) {
    const code = { sent: "200", delivered: "201", failed: "301" }[state];
    const body = formOf({
      timestamp_send: String(Math.floor(atMs / 1_000)),
      timestamp: String(Math.floor(atMs / 1_000)),
      message_id: id,
      from,
      to,
      status: state === "failed" ? "Undelivered" : "Delivered",
      status_code: code,
      error_code: state === "failed" ? (failure ?? "unreachable") : "",
      custom_string: reference ?? undefined,
      message_type: "sms",
      note,
    });
    return { url, method: "POST", headers: FORM_TYPE, body };
  },
  inbound: ({ id, from, to, body, atMs }, url) => ({
    url,
    method: "POST",
    headers: FORM_TYPE,
    body: formOf({
      message_id: id,
      from,
      to,
      body,
      message: body,
      timestamp: String(Math.floor(atMs / 1_000)),
      original_body: "",
      original_message_id: "",
    }),
  }),
};
