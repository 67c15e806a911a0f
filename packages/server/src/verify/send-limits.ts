import {
  VERIFY_SENDS_MAX,
  VERIFY_SENDS_PER_DAY_MAX,
  VERIFY_SENDS_WINDOW_SECONDS,
} from "@longwave/contract";
import type { VerificationRow } from "./verification-row.ts";

const WINDOW_MS = VERIFY_SENDS_WINDOW_SECONDS * 1_000;
const DAY_MS = 86_400_000;

/** The texts that count: those of the last day, oldest first. */
export function sendsInDay(sentAtMs: readonly number[], nowMs: number): number[] {
  return sentAtMs.filter((at) => at > nowMs - DAY_MS);
}

/** How long a phone has to wait for its next text, or null when it may have it now. */
export function secondsToWait(
  sentAtMs: readonly number[],
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
  return waits.length === 0 ? null : Math.max(1, Math.ceil((Math.max(...waits) - nowMs) / 1_000));
}
