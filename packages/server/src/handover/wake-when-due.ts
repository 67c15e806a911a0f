import { LANES } from "../queue/lane-names.ts";
import type { Wakes } from "../queue/wakes.ts";

/** Workers look when the first receipt or the next attempt of these messages falls due. */
export function wakeWhenDue(
  wakes: Wakes,
  messages: readonly {
    readonly receiptDueAt: number | null;
    readonly attemptDueAt: number | null;
  }[],
): void {
  let receiptAtMs = Number.POSITIVE_INFINITY;
  let attemptAtMs = Number.POSITIVE_INFINITY;
  for (const { receiptDueAt, attemptDueAt } of messages) {
    if (receiptDueAt !== null && receiptDueAt < receiptAtMs) receiptAtMs = receiptDueAt;
    if (attemptDueAt !== null && attemptDueAt < attemptAtMs) attemptAtMs = attemptDueAt;
  }
  wakes.wakeAt(LANES.simulatedReceipts, receiptAtMs);
  wakes.wakeAt(LANES.dispatch, attemptAtMs);
}
