import { timingSafeEqual } from "node:crypto";
import type { CallbackHead } from "../carrier.ts";

/** Reason why a callback's signature is refused. */
export interface SignatureFault {
  /** The faulty part: a header, a parameter, or the path. */
  readonly at: string;
  /** The fault, and the remedy. */
  readonly sentences: string;
}

/** The signed time as received; the fault if it is missing, unreadable or too old. */
export function timestampOf(
  head: CallbackHead,
  {
    timestampHeader: header,
    maxAgeSeconds,
  }: { readonly timestampHeader: string | null; readonly maxAgeSeconds: number },
  nowMs: number,
): string | SignatureFault {
  if (header === null) return "";
  const text = head.headers[header];
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

export function headersOf({ headers }: CallbackHead, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
