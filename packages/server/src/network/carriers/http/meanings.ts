import type { FailureCode } from "@longwave/contract";

/** Failures that a carrier may tell of. */
export const FAILURES_TOLD = [
  "invalid_number",
  "landline",
  "unreachable",
  "carrier_filtered",
  "carrier_rejected",
  "recipient_blocked",
  "expired",
] as const satisfies readonly FailureCode[];
export type FailureTold = (typeof FAILURES_TOLD)[number];

/**
 * What an answer to a text may mean. `slow_down`: too much at once, offer it again. `temporary`: not
 * taken, try later. `connection`: our address, key or account is wrong, no text is at fault. A failure:
 * refused for good. `unknown`: it may have been taken, so it is never sent again.
 */
export const ANSWER_MEANINGS = [
  "accepted",
  "slow_down",
  "temporary",
  "connection",
  "unknown",
  ...FAILURES_TOLD,
] as const;
export type AnswerMeaning = (typeof ANSWER_MEANINGS)[number];

/** What a receipt may mean; what is not final only shows in the timeline. */
export const RECEIPT_MEANINGS = ["delivered", "intermediate", ...FAILURES_TOLD] as const;
export type ReceiptMeaning = (typeof RECEIPT_MEANINGS)[number];

/** Stands for every word that is not listed. */
export const ANY_WORD = "*";

/** Words that mean the same with most carriers, compared without regard to case. */
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
 * What an HTTP status means by itself. A server that failed, or a gateway that lost it, may have taken
 * the text first; one that says it is overloaded has not.
 */
export function statusMeaning(status: number): AnswerMeaning {
  if (status >= 200 && status <= 299) return "accepted";
  if (status === 429) return "slow_down";
  if (status === 503 || status === 408 || status === 425) return "temporary";
  if (status >= 500) return "unknown";
  if (status < 400 || [401, 402, 403, 404, 405, 407].includes(status)) return "connection";
  return "carrier_rejected";
}
