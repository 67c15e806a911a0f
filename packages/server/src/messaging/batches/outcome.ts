import type { BatchRecipientState } from "@longwave/contract";

/** The state that sending leaves one recipient in. */
export interface Outcome {
  readonly index: number;
  readonly state: Exclude<BatchRecipientState, "waiting">;
  readonly messageId: string | null;
  readonly failureCode: string | null;
  readonly carrierCode: string | null;
}

/** Failures of people who want, or have agreed to, no message. */
const UNWANTED: ReadonlySet<string> = new Set([
  "recipient_opted_out",
  "opt_in_required",
  "topic_unsubscribed",
]);

/** Outcome without a message: skipped for an opt-out or unsubscription, failed otherwise. */
export function refused(index: number, code: string): Outcome {
  const isUnwanted = UNWANTED.has(code);
  const state = isUnwanted ? "skipped" : "failed";
  return { index, state, messageId: null, failureCode: code, carrierCode: null };
}
