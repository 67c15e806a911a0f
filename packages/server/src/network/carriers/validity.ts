import type { OutboundMessage, SubmitOutcome } from "./carrier.ts";

/** Validity in seconds of a message without an expiry. */
const DEFAULT_VALIDITY_SECONDS = 4 * 3_600;

type Expiring = Pick<OutboundMessage, "expiresAtMs">;

/** Whole seconds for which the carrier may still deliver a message: rounded down, at least 1. */
export function validitySecondsOf({ expiresAtMs }: Expiring, nowMs: number): number {
  if (expiresAtMs === null) return DEFAULT_VALIDITY_SECONDS;
  return Math.max(1, Math.floor((expiresAtMs - nowMs) / 1_000));
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
