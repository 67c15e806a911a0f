import type { BatchRecipientState } from "@longwave/contract";

/** Where a turn leaves one recipient. */
export interface Outcome {
  readonly index: number;
  readonly state: Exclude<BatchRecipientState, "waiting">;
  readonly messageId: string | null;
  readonly failureCode: string | null;
  readonly carrierCode: string | null;
}

/** A recipient for whom no text was written: skipped where the person does not want it. */
export function refused(index: number, code: string): Outcome {
  const isUnwanted = code === "recipient_opted_out" || code === "topic_unsubscribed";
  const state = isUnwanted ? "skipped" : "failed";
  return { index, state, messageId: null, failureCode: code, carrierCode: null };
}
