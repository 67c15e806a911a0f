import { OUTCOME_UNKNOWN_SECONDS } from "@longwave/contract";
import type { OutboundMessage, SubmitOutcome } from "./carrier.ts";

/** Validity in seconds of a message without an expiry. */
const DEFAULT_VALIDITY_SECONDS = 4 * 3_600;

type Expiring = Pick<OutboundMessage, "expiresAtMs">;

/** Whole seconds for which the carrier may still deliver a message: rounded down, at least 1. */
export function validitySecondsOf({ expiresAtMs }: Expiring, nowMs: number): number {
  if (expiresAtMs === null) return DEFAULT_VALIDITY_SECONDS;
  return Math.max(1, Math.floor((expiresAtMs - nowMs) / 1_000));
}

/** An attempt without an answer is given up after OUTCOME_UNKNOWN_SECONDS: its parts end before. */
const PARTS_SECONDS_MAX = OUTCOME_UNKNOWN_SECONDS - 60;

/** Longest time, in ms, in which later parts of a message are submitted again: the rest of its validity. */
export function laterPartsMsMax(message: Expiring, nowMs: number): number {
  return Math.min(validitySecondsOf(message, nowMs), PARTS_SECONDS_MAX) * 1_000;
}

/** Whether a message may no longer be submitted. */
export function isExpired({ expiresAtMs }: Expiring, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

/** Outcome of a message that expired before any part of it left. */
export const EXPIRED: SubmitOutcome = {
  kind: "refused",
  isTemporary: false,
  carrierCode: null,
  failure: "expired",
};
