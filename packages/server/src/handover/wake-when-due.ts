import { LANES } from "../queue/lane-names.ts";
import type { Wakes } from "../queue/wakes.ts";
import type { MessageRow } from "./message-row.ts";

/** Workers look when the first receipt or the next attempt of these messages falls due. */
export function wakeWhenDue(
  wakes: Wakes,
  rows: readonly Pick<MessageRow, "receipt_due_at" | "next_attempt_at">[],
): void {
  let receiptAtMs = Number.POSITIVE_INFINITY;
  let attemptAtMs = Number.POSITIVE_INFINITY;
  for (const { receipt_due_at, next_attempt_at } of rows) {
    if (receipt_due_at !== null && receipt_due_at < receiptAtMs) receiptAtMs = receipt_due_at;
    if (next_attempt_at !== null && next_attempt_at < attemptAtMs) attemptAtMs = next_attempt_at;
  }
  wakes.wakeAt(LANES.simulatedReceipts, receiptAtMs);
  wakes.wakeAt(LANES.dispatch, attemptAtMs);
}
