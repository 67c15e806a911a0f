import {
  CODE_RESENT_AFTER_SECONDS,
  CODE_RETRY_DELAYS_SECONDS,
  classifyPhone,
  lawfulFrom,
  MESSAGE_RETRY_DELAYS_SECONDS,
  OUTCOME_UNKNOWN_SECONDS,
  type QuietLaw,
  quietUntil,
  unpackQuietHours,
  zonesOf,
} from "@longwave/contract";
import type { Wakes } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { MessageRow } from "./message-row.ts";

/** Delay between the n-th failed attempt and the next, in ms; null after the last attempt. */
export function retryDelayMsAfter(
  row: Pick<MessageRow, "verification_id">,
  attempt: number,
): number | null {
  const delays: readonly number[] =
    row.verification_id === null ? MESSAGE_RETRY_DELAYS_SECONDS : CODE_RETRY_DELAYS_SECONDS;
  const seconds = delays[attempt - 1];
  return seconds === undefined ? null : seconds * 1_000;
}

/** The next due time, no later than the message's expiry. */
export function capAtExpiry(row: Pick<MessageRow, "expires_at">, atMs: number): number {
  return row.expires_at === null ? atMs : Math.min(atMs, row.expires_at);
}

/** Time after an unanswered submit at which the dispatcher decides its outcome, in ms. */
export function unansweredTimeoutMs(row: Pick<MessageRow, "from_service">): number {
  return (row.from_service ? CODE_RESENT_AFTER_SECONDS : OUTCOME_UNKNOWN_SECONDS) * 1_000;
}

/** End of the recipient's current quiet hours, in ms; null outside quiet hours. */
export function quietHoursEnd(
  packed: number | null,
  to: string,
  nowMs: number,
  law: QuietLaw,
): number | null {
  // Time zones are known for area codes; other countries have no quiet hours.
  if (packed === null || !to.startsWith("+1")) return null;
  const quiet = unpackQuietHours(packed);
  const zones = quiet.zone === null ? zonesOf(to) : [quiet.zone];
  if (!quiet.byLaw) return quietUntil(quiet, zones, nowMs);
  let atMs = nowMs;
  for (let round = 0; round < QUIET_ROUNDS_MAX; round += 1) {
    const own = quietUntil(quiet, zones, atMs) ?? atMs;
    const lawful = lawfulEnd(law, to, zones, own);
    if (lawful === "never") return nowMs + NEVER_LAWFUL_RETRY_MS;
    if ((lawful ?? own) === atMs) break;
    atMs = lawful ?? own;
  }
  return atMs === nowMs ? null : atMs;
}

/** Without a lawful hour a message waits, and asks again daily: the operator may have set another edition. */
const NEVER_LAWFUL_RETRY_MS = 86_400_000;

/** Own and lawful hours agree within a few rounds, unless they never do. */
const QUIET_ROUNDS_MAX = 10;

function lawfulEnd(
  law: QuietLaw,
  to: string,
  zones: readonly string[],
  ms: number,
): number | "never" | null {
  const { country, region } = classifyPhone(to);
  return country === "US" ? lawfulFrom(law, region, zones, ms) : null;
}

/** Wakes the lanes when the first receipt or the next attempt of these messages falls due. */
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
