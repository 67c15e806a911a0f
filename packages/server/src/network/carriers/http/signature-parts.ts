import { timingSafeEqual } from "node:crypto";
import type { CallbackHead, CallbackRequest } from "../carrier.ts";

type Headed = Pick<CallbackHead, "headers">;

/** Parts of a call that a signature may cover. */
export type SignedParts = Pick<CallbackRequest, "headers" | "method" | "query" | "body">;

const FIELDS_MAX = 20;

/** Reason why a callback's signature is refused. */
export interface SignatureFault {
  /** The faulty part: a header, a parameter, or the path. */
  readonly at: string;
  /** The fault, and the remedy. */
  readonly sentences: string;
}

/** The signed time as received; the fault if it is missing, unreadable or too old. */
export function timestampOf(
  head: Headed,
  signature: {
    readonly header: string;
    readonly timestampHeader: string | null;
    readonly timestampField: string | null;
    readonly maxAgeSeconds: number;
  },
  nowMs: number,
): string | SignatureFault {
  const { timestampHeader, timestampField, maxAgeSeconds } = signature;
  if (timestampHeader === null && timestampField === null) return "";
  const header = timestampHeader ?? signature.header;
  const text =
    timestampField === null
      ? head.headers[header]
      : fieldOf(headersOf(head, header), timestampField);
  if (typeof text !== "string" || !/^\d{9,13}$/.test(text)) {
    const wrong = text === undefined ? "is missing" : "is not a time";
    return {
      at: header,
      sentences: `The header ${header} ${wrong}. Put the time of the call in it, in seconds since 1970.`,
    };
  }
  if (isRecent(secondsOf(text), maxAgeSeconds, nowMs)) return text;
  return {
    at: header,
    sentences: `The time in the header ${header} is more than ${maxAgeSeconds} seconds from ours. Sign the call when it is made, and look at both clocks.`,
  };
}

export function isRecent(seconds: number, maxAgeSeconds: number, nowMs: number): boolean {
  return Math.abs(nowMs / 1_000 - seconds) <= maxAgeSeconds;
}

/** Milliseconds when the value has too many digits for seconds. */
function secondsOf(text: string): number {
  return text.length > 11 ? Number(text) / 1_000 : Number(text);
}

/** A field of a header such as `t=1700000000,v1=…`. */
function fieldOf(header: string, name: string): string | undefined {
  const fields = header.split(/[,;]\s*/).slice(0, FIELDS_MAX);
  return fields.find((field) => field.startsWith(`${name}=`))?.slice(name.length + 1);
}

export function headersOf({ headers }: Headed, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
