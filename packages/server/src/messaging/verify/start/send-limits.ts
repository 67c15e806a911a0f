import {
  VERIFY_FAILURES_BLOCK_HOURS,
  VERIFY_FAILURES_MAX,
  VERIFY_SENDS_MAX,
  VERIFY_SENDS_PER_DAY_MAX,
  VERIFY_SENDS_WINDOW_SECONDS,
} from "@longwave/contract";
import type { VerificationRow } from "../verification-row.ts";
import type { PhoneState } from "./state.ts";

const WINDOW_MS = VERIFY_SENDS_WINDOW_SECONDS * 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Send times within the last day, oldest first. */
export function sendsInDay(sentAtMs: readonly number[], nowMs: number): number[] {
  return sentAtMs.filter((at) => at > nowMs - DAY_MS);
}

/** Seconds until a phone may get another code from an account; null: now. */
export function secondsToWait(
  { sentAtMs, newest, failures }: Pick<PhoneState, "sentAtMs" | "newest" | "failures">,
  pending: VerificationRow | null,
  nowMs: number,
): number | null {
  const waits: number[] = [];
  if (pending && pending.sends >= VERIFY_SENDS_MAX) waits.push(pending.expires_at);
  const inDay = sendsInDay(sentAtMs, nowMs);
  const inWindow = inDay.filter((at) => at > nowMs - WINDOW_MS);
  const windowOpener = inWindow.at(-VERIFY_SENDS_MAX);
  if (windowOpener !== undefined) waits.push(windowOpener + WINDOW_MS);
  const dayOpener = inDay.at(-VERIFY_SENDS_PER_DAY_MAX);
  if (dayOpener !== undefined) waits.push(dayOpener + DAY_MS);
  if (newest && !pending && failuresInRow(failures, newest, nowMs) >= VERIFY_FAILURES_MAX) {
    waits.push(failuresForgottenAt(newest));
  }
  return secondsUntil(waits, nowMs);
}

/** Seconds until a phone may get another code, counting codes of all accounts in the last hour; null: now. */
export function secondsToWaitAcrossAccounts(
  sentAtMs: readonly number[],
  perHour: number,
  nowMs: number,
): number | null {
  if (perHour === 0) return HOUR_MS / 1_000;
  const opener = sendsInHour(sentAtMs, nowMs).at(-perHour);
  return secondsUntil(opener === undefined ? [] : [opener + HOUR_MS], nowMs);
}

export function sendsInHour(sentAtMs: readonly number[], nowMs: number): number[] {
  return sentAtMs.filter((at) => at > nowMs - HOUR_MS);
}

/** Consecutive wrong codes, including the newest verification. An approval resets the count. */
export function failuresInRow(
  before: number,
  newest: VerificationRow | null,
  nowMs: number,
): number {
  if (!newest || newest.status === "approved") return 0;
  const failures = before + newest.attempts;
  return failures >= VERIFY_FAILURES_MAX && failuresForgottenAt(newest) <= nowMs ? 0 : failures;
}

function failuresForgottenAt(newest: VerificationRow): number {
  return (newest.ended_at ?? newest.expires_at) + VERIFY_FAILURES_BLOCK_HOURS * HOUR_MS;
}

function secondsUntil(moments: readonly number[], nowMs: number): number | null {
  if (moments.length === 0) return null;
  return Math.max(1, Math.ceil((Math.max(...moments) - nowMs) / 1_000));
}
