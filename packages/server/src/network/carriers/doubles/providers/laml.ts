import { createHmac } from "node:crypto";
import {
  basic,
  type DoubleAnswer,
  type DoubleCall,
  type DoubleCallback,
  type DoubleDraft,
  type DoubleFailure,
  type DoubleRecord,
  type DoubleReply,
  FORM_TYPE,
  formIn,
  formOf,
  json,
  type ProviderDouble,
} from "../double.ts";

/** Differences between Twilio and providers that copy its API. */
export interface LamlOptions {
  readonly name: string;
  readonly title: string;
  readonly account: string;
  readonly token: string;
  /** Key that signs callbacks. */
  readonly signingKey: string;
  readonly signatureHeader: string;
  /** Path before the accounts. */
  readonly prefix: string;
  readonly takes: NonNullable<ProviderDouble["takes"]>;
  readonly repeatAfterMs: readonly number[];
  readonly entry: ProviderDouble["entry"];
  readonly env: ProviderDouble["env"];
}

/** Codes of www.twilio.com/docs/api/errors: of a refused send, and of a receipt. */
const SEND_CODES: Partial<Record<DoubleFailure, number>> = {
  invalid_number: 21211,
  landline: 21614,
  opted_out: 21610,
};
const RECEIPT_CODES: Readonly<Record<DoubleFailure, number>> = {
  unreachable: 30003,
  invalid_number: 30005,
  landline: 30006,
  filtered: 30007,
  opted_out: 21610,
  expired: 30036,
};

type Signer = (fields: Record<string, string | undefined>, url: string) => DoubleCallback;

/** An API in Twilio's form: forms in, JSON out, callbacks signed over URL and parameters. */
export function lamlDouble(options: LamlOptions): ProviderDouble {
  const { account, token, prefix } = options;
  const path = `${prefix}/2010-04-01/Accounts/${account}`;
  const numbers: ForeignNumber[] = [
    { sid: `PN${"1".repeat(32)}`, phone_number: "+14155550100", sms_url: "" },
    { sid: `PN${"2".repeat(32)}`, phone_number: "+14155550101", sms_url: "" },
  ];
  const isLoggedIn = ({ headers }: DoubleCall) =>
    headers["authorization"] === basic(account, token);
  const signed = signerOf(options);
  return {
    name: options.name,
    title: options.title,
    entry: options.entry,
    env: options.env,
    other(call) {
      if (!call.path.startsWith(`${path}/IncomingPhoneNumbers`)) return null;
      return isLoggedIn(call) ? numbersAnswer(call, path, numbers) : UNAUTHORIZED;
    },
    list(call, records) {
      if (call.path !== `${path}/Messages.json` || call.method !== "GET") return null;
      return isLoggedIn(call) ? listAnswer(call, records, account) : UNAUTHORIZED;
    },
    send(call) {
      if (call.path !== `${path}/Messages.json` || call.method !== "POST") return null;
      return isLoggedIn(call) ? draftOf(call) : UNAUTHORIZED;
    },
    accepted: ({ ids, from, to, body }) =>
      json(201, {
        sid: ids[0],
        account_sid: account,
        status: "queued",
        from,
        to,
        body,
        num_segments: "1",
        error_code: null,
        error_message: null,
      }),
    refused(failure) {
      const code = SEND_CODES[failure];
      return code === undefined ? null : problem(400, code, "The message was refused.");
    },
    throttled: () => problem(429, 20429, "Too Many Requests"),
    unavailable: () => problem(503, 20503, "Service is unavailable"),
    inboundUrl: () => numbers.find((one) => one.sms_url !== "")?.sms_url ?? null,
    takes: options.takes,
    repeatAfterMs: options.repeatAfterMs,
    receipt: receiptsBy(signed, account),
    inbound: ({ id, from, to, body }, url) =>
      signed(
        {
          MessageSid: id,
          SmsSid: id,
          AccountSid: account,
          From: from,
          To: to,
          Body: body,
          NumMedia: "0",
          NumSegments: "1",
          OptOutType: body.trim().toUpperCase() === "STOP" ? "STOP" : undefined,
        },
        numbers.find((one) => one.phone_number === to)?.sms_url || url,
      ),
  };
}

export function isXml({ type }: DoubleAnswer): boolean {
  return type === "text/xml" || type === "application/xml";
}

interface ForeignNumber {
  readonly sid: string;
  readonly phone_number: string;
  sms_url: string;
}

function signerOf({ signingKey, signatureHeader }: LamlOptions): Signer {
  return (fields, url) => {
    const body = formOf(fields);
    const params = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = url + params.map(([name, value]) => name + value).join("");
    const signature = createHmac("sha1", signingKey).update(text).digest("base64");
    return { url, method: "POST", body, headers: { ...FORM_TYPE, [signatureHeader]: signature } };
  };
}

function numbersAnswer(
  call: DoubleCall,
  path: string,
  numbers: readonly ForeignNumber[],
): DoubleReply | null {
  if (call.path === `${path}/IncomingPhoneNumbers.json`) {
    const shown = numbers.map((one) => ({ ...one, capabilities: { sms: true } }));
    return json(200, { incoming_phone_numbers: shown, next_page_uri: null });
  }
  const number = numbers.find(
    ({ sid }) => call.path === `${path}/IncomingPhoneNumbers/${sid}.json`,
  );
  if (!number) return null;
  if (call.method === "POST") number.sms_url = formIn(call)["SmsUrl"] ?? number.sms_url;
  return json(200, number);
}

const PAGE_SIZE_MAX = 1_000;

/** One page of the messages, newest first. Prices are known once a message has left. */
function listAnswer(
  { path, query }: DoubleCall,
  records: readonly DoubleRecord[],
  account: string,
): DoubleReply {
  const size = Math.min(Number(query.get("PageSize") ?? 50), PAGE_SIZE_MAX);
  const page = Number(query.get("Page") ?? 0);
  const sinceMs = Date.parse(query.get("DateSent>") ?? "") || 0;
  const all = records.filter(({ atMs }) => Math.floor(atMs / 1_000) * 1_000 >= sinceMs);
  const shown = all.slice(page * size, (page + 1) * size);
  const after = new URLSearchParams(query);
  after.set("Page", String(page + 1));
  after.set("PageToken", `PA${shown.at(-1)?.id ?? ""}`);
  const hasMore = all.length > (page + 1) * size;
  return json(200, {
    messages: shown.map((record) => listed(record, account)),
    page,
    page_size: size,
    next_page_uri: hasMore ? `${path}?${after}` : null,
  });
}

function listed(
  { id, direction, from, to, body, state, failure, atMs }: DoubleRecord,
  account: string,
) {
  const date = new Date(atMs).toUTCString().replace("GMT", "+0000");
  const hasLeft = direction === "outbound" && state !== "queued";
  return {
    sid: id,
    account_sid: account,
    direction: direction === "outbound" ? "outbound-api" : "inbound",
    status: state === "failed" ? "undelivered" : state,
    error_code: state === "failed" ? RECEIPT_CODES[failure ?? "unreachable"] : null,
    error_message: null,
    from,
    to,
    body,
    num_segments: "1",
    num_media: "0",
    price: hasLeft ? "-0.00790" : null,
    price_unit: "USD",
    date_created: date,
    date_sent: state === "queued" ? null : date,
    date_updated: date,
  };
}

function draftOf(call: DoubleCall): DoubleDraft | DoubleReply {
  const { To, From, Body, StatusCallback, ValidityPeriod } = formIn(call);
  const validity = Number(ValidityPeriod ?? 36_000);
  if (!To || !/^\+1\d{10}$/.test(To)) return problem(400, 21211, "Invalid 'To' Phone Number");
  if (!From) return problem(400, 21603, "A 'From' number is required");
  if (!Body) return problem(400, 21602, "Message body is required");
  if (!(validity >= 1 && validity <= 36_000)) {
    return problem(400, 21626, "Invalid ValidityPeriod");
  }
  return {
    from: From,
    to: To,
    body: Body,
    reference: null,
    receiptsUrl: StatusCallback || null,
    ...(ValidityPeriod === undefined ? {} : { validSeconds: validity }),
  };
}

function receiptsBy(signed: Signer, account: string): ProviderDouble["receipt"] {
  return ({ id, from, to, state, failure, note }, url) => {
    const status = state === "failed" ? "undelivered" : state;
    const fields = {
      MessageSid: id,
      SmsSid: id,
      AccountSid: account,
      MessageStatus: status,
      SmsStatus: status,
      ErrorCode: state === "failed" ? String(RECEIPT_CODES[failure ?? "unreachable"]) : undefined,
      From: from,
      To: to,
      ApiVersion: "2010-04-01",
      Note: note,
    };
    return signed(fields, url);
  };
}

function problem(status: number, code: number, message: string): DoubleReply {
  return json(status, {
    code,
    message,
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  });
}

const UNAUTHORIZED = problem(401, 20003, "Authenticate");
