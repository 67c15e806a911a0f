import type { FailureCode } from "@longwave/contract";

/** Failures that a carrier may report. */
export const REPORTED_FAILURES = [
  "invalid_number",
  "landline",
  "unreachable",
  "carrier_filtered",
  "carrier_rejected",
  "recipient_blocked",
  "expired",
] as const satisfies readonly FailureCode[];
export type ReportedFailure = (typeof REPORTED_FAILURES)[number];

/**
 * Meanings of an answer to a submit:
 * - `slow_down`: overloaded, offer the message again.
 * - `temporary`: not accepted, retry later.
 * - `connection`: our address, key or account is wrong; the message is not at fault.
 * - `unknown`: possibly accepted, so never sent again.
 * - `opted_out`: refused for good, because the person has asked the carrier for no messages.
 * - a failure: refused for good.
 */
export const ANSWER_MEANINGS = [
  "accepted",
  "slow_down",
  "temporary",
  "connection",
  "unknown",
  "opted_out",
  ...REPORTED_FAILURES,
] as const;
export type AnswerMeaning = (typeof ANSWER_MEANINGS)[number];

/** Meanings of a receipt. Intermediate ones only show in the timeline. */
export const RECEIPT_MEANINGS = [
  "delivered",
  "intermediate",
  "opted_out",
  ...REPORTED_FAILURES,
] as const;
export type ReceiptMeaning = (typeof RECEIPT_MEANINGS)[number];

/** Matches every code that is not listed. */
export const ANY_WORD = "*";

/** Receipt codes that mean the same with most carriers, in lower case. */
export const USUAL_RECEIPTS: ReadonlyMap<string, ReceiptMeaning> = new Map([
  ["delivered", "delivered"],
  ["delivrd", "delivered"],
  ["undelivered", "unreachable"],
  ["undeliverable", "unreachable"],
  ["undeliv", "unreachable"],
  ["failed", "unreachable"],
  ["expired", "expired"],
  ["rejected", "carrier_rejected"],
  ["rejectd", "carrier_rejected"],
  ["deleted", "carrier_rejected"],
  ["blocked", "carrier_filtered"],
]);

/**
 * Meaning of an HTTP status alone. A failed server or gateway may have accepted the message first;
 * an overloaded one has not.
 */
export function statusMeaning(status: number): AnswerMeaning {
  if (status >= 200 && status <= 299) return "accepted";
  if (status === 429) return "slow_down";
  if (status === 503 || status === 408 || status === 425) return "temporary";
  if (status >= 500) return "unknown";
  if (status < 400 || [401, 402, 403, 404, 405, 407].includes(status)) return "connection";
  return "carrier_rejected";
}
