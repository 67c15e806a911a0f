import type { JsonObject } from "../presets/preset.ts";

/** Failures that a double can cause, under a name of their own in each provider's codes. */
export const DOUBLE_FAILURES = [
  "unreachable",
  "invalid_number",
  "landline",
  "filtered",
  "opted_out",
  "expired",
] as const;
export type DoubleFailure = (typeof DOUBLE_FAILURES)[number];

/** A request to the double. */
export interface DoubleCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly atMs: number;
}

export interface DoubleReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A message as the provider's API received it. */
export interface DoubleDraft {
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** Reference of the client, which receipts echo; null where the API has none. */
  readonly reference: string | null;
  /** URL for receipts that the request names; null where it is a setting. */
  readonly receiptsUrl: string | null;
  /** Seconds for which the request lets the provider deliver; absent where it sets none. */
  readonly validSeconds?: number;
  /** Id that the client chose. */
  readonly ownId?: string;
  /** Ids that the provider gives to one message; 1 by default. */
  readonly idCount?: number;
}

export interface DoubleMessage extends DoubleDraft {
  readonly ids: readonly string[];
  readonly atMs: number;
}

/** A receipt to bring, of one id. */
export interface DoubleReceipt {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly reference: string | null;
  readonly state: "sent" | "delivered" | "failed";
  readonly failure: DoubleFailure | null;
  /** A field without meaning, to tell receipts apart. */
  readonly note?: string;
  readonly atMs: number;
}

export interface DoubleInbound {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly atMs: number;
}

/** A message of either direction in the provider's list. */
export interface DoubleRecord {
  readonly id: string;
  readonly direction: "outbound" | "inbound";
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly reference: string | null;
  readonly state: "queued" | "received" | DoubleReceipt["state"];
  readonly failure: DoubleFailure | null;
  readonly atMs: number;
}

/** A request that the double makes. */
export interface DoubleCallback {
  readonly url: string;
  readonly method: "POST" | "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type DoubleCallbackKind = "receipts" | "inbound";

/** Answer of the server under test to a callback. */
export interface DoubleAnswer {
  readonly status: number;
  /** Media type without parameters; empty where there is none. */
  readonly type: string;
  readonly body: string;
}

/** A provider's API: formats, codes, authentication and signatures, from its documentation. */
export interface ProviderDouble {
  readonly name: string;
  readonly title: string;
  /** Entry of the carriers file that uses the double, beside name, base_url and private_address. */
  readonly entry: JsonObject;
  /** Variables that the entry names. */
  readonly env: Readonly<Record<string, string>>;
  /** Answer to a request that sends nothing; null for unknown paths. */
  readonly other?: (call: DoubleCall) => DoubleReply | null;
  /** Answer to a request for messages so far, newest first; null for other requests. */
  readonly list?: (call: DoubleCall, records: readonly DoubleRecord[]) => DoubleReply | null;
  /** The message of a request, or a refusal; null when the request is no send. */
  readonly send: (call: DoubleCall) => DoubleDraft | DoubleReply | null;
  readonly accepted: (message: DoubleMessage) => DoubleReply;
  /** Refusal of a message; null where only a receipt reports this failure. */
  readonly refused: (failure: DoubleFailure) => DoubleReply | null;
  readonly throttled: () => DoubleReply;
  readonly unavailable: () => DoubleReply;
  /** Answer to an id that is there already. */
  readonly repeated?: () => DoubleReply;
  /** URL for messages from phones, as the provider's API has set it. */
  readonly inboundUrl?: () => string | null;
  /** URL for receipts that the provider's API has set, where requests name none. */
  readonly receiptsUrl?: () => string | null;
  /** Further requests to make that became due, once. */
  readonly takeCallbacks?: () => readonly DoubleCallback[];
  /** Whether the provider is content with an answer; by default with every 2xx. */
  readonly takes?: (answer: DoubleAnswer, kind: DoubleCallbackKind) => boolean;
  /** Longest wait for an answer; 15 seconds by default. */
  readonly answerMs?: number;
  /** Delays before a callback that was not taken is repeated. */
  readonly repeatAfterMs?: readonly number[];
  /** Message that the provider makes of the answer to an inbound callback; null for none. */
  readonly replyIn?: (answer: DoubleAnswer) => string | null;
  readonly receipt: (receipt: DoubleReceipt, url: string) => DoubleCallback;
  readonly inbound: (inbound: DoubleInbound, url: string) => DoubleCallback;
}

export function isSuccess({ status }: DoubleAnswer): boolean {
  return status >= 200 && status <= 299;
}

export function json(status: number, body: unknown): DoubleReply {
  return { status, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

export function isReply(value: DoubleDraft | DoubleReply): value is DoubleReply {
  return "status" in value;
}

/** Body of a request as JSON; an empty object when it is none. */
// biome-ignore lint/suspicious/noExplicitAny: a double reads its clients' requests freely
export function jsonIn(call: DoubleCall): any {
  try {
    return JSON.parse(call.text);
  } catch {
    return {};
  }
}

export function formIn(call: DoubleCall): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(new URLSearchParams(call.text));
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

export function formOf(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given as [string, string][]).toString();
}

export const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
export const JSON_TYPE = { "content-type": "application/json" };

export function digits(phone: string): string {
  return phone.replace(/^\+/, "");
}

/** Seconds until a timestamp; not a number for what is none, or has no zone. */
export function secondsUntil(timestamp: unknown, { atMs }: DoubleCall): number {
  const isTimestamp =
    typeof timestamp === "string" && /(?:Z|[+-]\d\d:\d\d)$/.test(timestamp.split("T")[1] ?? "");
  return isTimestamp ? (Date.parse(timestamp) - atMs) / 1_000 : Number.NaN;
}

/** An ISO 8601 timestamp. */
export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
