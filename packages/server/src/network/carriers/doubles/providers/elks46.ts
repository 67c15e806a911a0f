import {
  basic,
  type DoubleCall,
  type DoubleRecord,
  type DoubleReply,
  FORM_TYPE,
  formIn,
  formOf,
  isoOf,
  json,
  type ProviderDouble,
} from "../double.ts";

const [USER, PASSWORD] = ["u0123456789abcdef", "ELKS0123456789ABCDEF0123456789AB"];

const UNAUTHORIZED: DoubleReply = {
  status: 401,
  body: "API access requires Basic HTTP authentication",
};
const PAGE_ITEMS_MAX = 100;

interface ElksNumber {
  readonly id: string;
  readonly number: string;
  readonly active: "yes" | "no";
  sms_url?: string;
}

function isKnown({ headers }: DoubleCall): boolean {
  return headers["authorization"] === basic(USER, PASSWORD);
}

/** 46elks: 46elks.se/docs. It texts the answer to an inbound callback back to the person. */
export function elks46Double(): ProviderDouble {
  const numbers: ElksNumber[] = [
    { id: `n${"1".repeat(32)}`, number: "+14155550100", active: "yes" },
    { id: `n${"2".repeat(32)}`, number: "+14155550101", active: "yes" },
    { id: `n${"3".repeat(32)}`, number: "+14155550102", active: "no" },
  ];
  return {
    ...ANSWERS,
    other: (call) => (call.path.startsWith("/a1/numbers") ? numbersAnswer(call, numbers) : null),
    inboundUrl: () => numbers.find((one) => one.sms_url)?.sms_url ?? null,
  };
}

const ANSWERS: Omit<ProviderDouble, "other" | "inboundUrl"> = {
  name: "46elks",
  title: "46elks",
  entry: { type: "46elks", user: USER, password_env: "ELKS46_PASSWORD" },
  env: { ELKS46_PASSWORD: PASSWORD },
  list: (call, records) =>
    call.path === "/a1/sms" && call.method === "GET" ? historyAnswer(call, records) : null,
  send(call) {
    if (call.path !== "/a1/sms" || call.method !== "POST") return null;
    if (!isKnown(call)) return UNAUTHORIZED;
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
  replyIn: ({ status, body }) => (status <= 299 && body !== "" ? body : null),
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

/** Time of the history, in UTC without a zone. */
function timeOf(atMs: number): string {
  return isoOf(atMs).replace("Z", "000");
}

/** Messages before `start` and after `end`, newest first, and the time where the next page begins. */
function historyAnswer(call: DoubleCall, records: readonly DoubleRecord[]): DoubleReply {
  if (!isKnown(call)) return UNAUTHORIZED;
  const [start, end] = [call.query.get("start"), call.query.get("end")];
  const limit = Math.min(Number(call.query.get("limit") ?? PAGE_ITEMS_MAX), PAGE_ITEMS_MAX);
  const wanted = records.filter(({ atMs }) => {
    const at = timeOf(atMs);
    return (start === null || at < start) && (end === null || at >= end);
  });
  const shown = wanted.slice(0, limit);
  const last = shown.at(-1);
  return json(200, {
    data: shown.map(({ id, direction, from, to, body, state, atMs }) => ({
      id,
      created: timeOf(atMs),
      direction: direction === "inbound" ? "incoming" : "outgoing",
      from,
      to,
      message: body,
      cost: 3500,
      ...(direction === "outbound" ? { status: state === "queued" ? "created" : state } : {}),
    })),
    ...(wanted.length > limit && last ? { next: timeOf(last.atMs) } : {}),
  });
}

function numbersAnswer(call: DoubleCall, numbers: readonly ElksNumber[]): DoubleReply | null {
  if (!isKnown(call)) return UNAUTHORIZED;
  const shown = (one: ElksNumber) => ({ ...one, country: "us", capabilities: ["sms", "voice"] });
  if (call.path === "/a1/numbers") return json(200, { data: numbers.map(shown) });
  const number = numbers.find(({ id }) => call.path === `/a1/numbers/${id}`);
  if (!number) return { status: 404, body: "No such number" };
  if (call.method === "POST") number.sms_url = formIn(call)["sms_url"] ?? number.sms_url ?? "";
  return json(200, shown(number));
}
