import {
  basic,
  type DoubleCall,
  type DoubleCallback,
  type DoubleFailure,
  type DoubleReply,
  FORM_TYPE,
  formOf,
  JSON_TYPE,
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
      _currency: {
        ...{ currency_name_short: "USD", currency_name_long: "US Dollars" },
        ...{ currency_prefix_d: "$", currency_prefix_c: "c" },
      },
    },
  });

/** An automation rule that calls a URL, in the format that it names: `post` for a form, or `json`. */
interface Rule {
  readonly action_address: string;
  readonly webhook_type?: string;
  readonly dedicated_number?: string;
  readonly message_search_type?: number;
  readonly match_type?: number;
}

const NUMBERS = ["+14155550100", "+14155550101"];
const RULE_PATHS = {
  "/v3/automations/sms/inbound": "inbound",
  "/v3/automations/sms/receipts": "receipts",
} as const;

function isKnown({ headers }: DoubleCall): boolean {
  return headers["authorization"] === basic(USER, KEY);
}

/** ClickSend: developers.clicksend.com/docs/messaging/sms. A refusal is a word in a 200. */
export function clicksendDouble(): ProviderDouble {
  const rules = { inbound: [] as Rule[], receipts: [] as Rule[] };
  const formatted = (kind: keyof typeof rules, { body, ...callback }: DoubleCallback) => {
    const rule = rules[kind].find(({ action_address }) => action_address === callback.url);
    if (rule?.webhook_type !== "json") return { ...callback, body };
    const fields = Object.fromEntries(new URLSearchParams(body));
    return { ...callback, headers: JSON_TYPE, body: JSON.stringify(fields) };
  };
  return {
    ...ANSWERS,
    other: (call) => accountAnswer(call, rules),
    inboundUrl: () => rules.inbound[0]?.action_address ?? null,
    receiptsUrl: () => rules.receipts[0]?.action_address ?? null,
    receipt: (receipt, url) => formatted("receipts", ANSWERS.receipt(receipt, url)),
    inbound: (inbound, url) => formatted("inbound", ANSWERS.inbound(inbound, url)),
  };
}

function accountAnswer(
  call: DoubleCall,
  rules: Readonly<Record<"inbound" | "receipts", Rule[]>>,
): DoubleReply | null {
  const kind = Object.entries(RULE_PATHS).find(([path]) => path === call.path)?.[1];
  if (kind === undefined && call.path !== "/v3/numbers") return null;
  if (!isKnown(call)) return UNAUTHORIZED;
  if (kind === undefined) {
    return page(
      call,
      NUMBERS.map((dedicated_number) => ({ dedicated_number, country: "US", is_free: 0 })),
    );
  }
  if (call.method === "GET") return page(call, rules[kind]);
  const rule = jsonIn(call);
  const isWhole =
    rule.rule_name &&
    rule.action === "URL" &&
    rule.enabled === 1 &&
    /^https?:/.test(rule.action_address ?? "") &&
    (kind === "receipts"
      ? rule.match_type === 0
      : rule.message_search_type === 0 && rule.dedicated_number);
  if (!isWhole) return json(400, { http_code: 400, response_code: "BAD_REQUEST" });
  rules[kind].push(rule);
  return json(200, { http_code: 200, response_code: "SUCCESS", data: rule });
}

/** A page of a list: 15 items at least and 100 at most. */
function page({ query }: DoubleCall, items: readonly object[]): DoubleReply {
  const size = Math.min(Math.max(Number(query.get("limit") ?? 15), 15), 100);
  const current = Number(query.get("page") ?? 1);
  const data = items.slice((current - 1) * size, current * size);
  const counts = { total: items.length, per_page: size, current_page: current };
  return json(200, {
    http_code: 200,
    response_code: "SUCCESS",
    data: { ...counts, last_page: Math.max(1, Math.ceil(items.length / size)), data },
  });
}

const UNAUTHORIZED = json(401, { http_code: 401, response_code: "UNAUTHORIZED" });

const ANSWERS: Omit<ProviderDouble, "other" | "inboundUrl" | "receiptsUrl"> = {
  name: "clicksend",
  title: "ClickSend",
  entry: { type: "clicksend", user: USER, api_key_env: "CLICKSEND_API_KEY" },
  env: { CLICKSEND_API_KEY: KEY },
  send(call) {
    if (call.path !== "/v3/sms/send" || call.method !== "POST") return null;
    if (!isKnown(call)) return UNAUTHORIZED;
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
