import { randomFraction } from "./ambient.ts";
import { type ApiError, ConnectionError } from "./errors.ts";

/** No retry for a longer Retry-After: the caller should know. */
const RETRY_AFTER_SECONDS_MAX = 60;
/** Maximum added jitter on Retry-After: clients must not return all at once. */
const RETRY_AFTER_SPREAD = 0.1;
const SERVER_FAULT_STATUS_MIN = 500;

export type Failure = ApiError | ConnectionError;

/**
 * Delay before the next attempt, or null for none. Retries are safe: every POST carries an
 * Idempotency-Key, a GET changes nothing, and a PATCH sets the same values again.
 */
export function retryWaitMs(method: string, failure: Failure, delayMs: number): number | null {
  if (failure instanceof ConnectionError) {
    // A DELETE that succeeded before the connection broke would answer 404 the second time.
    return method === "DELETE" ? null : jittered(delayMs);
  }
  const waitSeconds = failure.retryAfterSeconds ?? 0;
  if (!mayPass(failure) || waitSeconds > RETRY_AFTER_SECONDS_MAX) return null;
  const retryAfterMs = waitSeconds * 1000 * (1 + RETRY_AFTER_SPREAD * randomFraction());
  return Math.max(jittered(delayMs), retryAfterMs);
}

function mayPass({ status, code }: ApiError): boolean {
  // The carrier's refusal is final: a retry would be another failed message.
  if (code === "carrier_error") return false;
  if (code === "idempotency_in_progress") return true;
  return status === 408 || status === 429 || status >= SERVER_FAULT_STATUS_MIN;
}

/** Half to all of the delay: clients that failed together must not return together. */
function jittered(delayMs: number): number {
  return delayMs * (0.5 + randomFraction() / 2);
}
