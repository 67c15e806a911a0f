import {
  CODE_RESENT_AFTER_SECONDS,
  CODE_RETRY_DELAYS_SECONDS,
  MESSAGE_RETRY_DELAYS_SECONDS,
  OUTCOME_UNKNOWN_SECONDS,
} from "@longwave/contract";
import type { Wakes } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import { RECEIPTS_TOGETHER_MS } from "./function-parts.ts";
import type { MessageRow } from "./message.ts";

/** How long a request waits for the carrier before it answers without its word. */
export const ANSWER_WAIT_MS_MAX = 3_000;

/** How long after the n-th failed attempt the next one is made; null when it was the last. */
export function retryDelayMsAfter(
  row: Pick<MessageRow, "verification_id">,
  attempt: number,
): number | null {
  const delays: readonly number[] =
    row.verification_id === null ? MESSAGE_RETRY_DELAYS_SECONDS : CODE_RETRY_DELAYS_SECONDS;
  const seconds = delays[attempt - 1];
  return seconds === undefined ? null : seconds * 1_000;
}

/** When a text is looked at next: a text that expires before that is looked at then. */
export function inTime(row: Pick<MessageRow, "expires_at">, atMs: number): number {
  return row.expires_at === null ? atMs : Math.min(atMs, row.expires_at);
}

/** How long after a hand-over without an answer it is decided what becomes of the text. */
export function decidedMsAfter(row: Pick<MessageRow, "from_service">): number {
  return (row.from_service ? CODE_RESENT_AFTER_SECONDS : OUTCOME_UNKNOWN_SECONDS) * 1_000;
}

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

/** When the receipts of all of these come, where all have one and they come together. */
export function receiptsAt(
  accounts: number,
  messages: readonly { readonly receiptDueAt: number | null }[],
): Date | null {
  if (accounts !== 1) return null;
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, 0];
  for (const { receiptDueAt } of messages) {
    if (receiptDueAt === null) return null;
    if (receiptDueAt < firstMs) firstMs = receiptDueAt;
    if (receiptDueAt > lastMs) lastMs = receiptDueAt;
  }
  return lastMs - firstMs <= RECEIPTS_TOGETHER_MS ? new Date(lastMs) : null;
}
