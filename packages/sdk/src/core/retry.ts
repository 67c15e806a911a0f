import { randomFraction } from "./ambient.ts";
import { type ApiError, ConnectionError } from "./errors.ts";

/** A server that asks for a longer wait than this gets no retry: the caller should know. */
const RETRY_AFTER_SECONDS_MAX = 60;
/** What a wait that the server asked for is prolonged by at most: a crowd must not come back at once. */
const RETRY_AFTER_SPREAD = 0.1;
const SERVER_FAULT_STATUS_MIN = 500;

export type Failure = ApiError | ConnectionError;

/**
 * How long to wait before the next attempt, or null when there should be none. Every POST carries
 * an Idempotency-Key, a GET changes nothing and a PATCH sets the same values again, so whatever
 * may pass can be tried again without doing the work twice.
 */
export function retryWaitMs(method: string, failure: Failure, delayMs: number): number | null {
  if (failure instanceof ConnectionError) {
    // A DELETE that was done before the line broke would answer 404 the second time.
    return method === "DELETE" ? null : jittered(delayMs);
  }
  const waitSeconds = failure.retryAfterSeconds ?? 0;
  if (!mayPass(failure) || waitSeconds > RETRY_AFTER_SECONDS_MAX) return null;
  const askedMs = waitSeconds * 1000 * (1 + RETRY_AFTER_SPREAD * randomFraction());
  return Math.max(jittered(delayMs), askedMs);
}

function mayPass({ status, code }: ApiError): boolean {
  // The carrier's refusal is final: another attempt would be another failed message.
  if (code === "carrier_error") return false;
  if (code === "idempotency_in_progress") return true;
  return status === 408 || status === 429 || status >= SERVER_FAULT_STATUS_MIN;
}

/** Between half of the delay and all of it: clients that failed together do not return together. */
function jittered(delayMs: number): number {
  return delayMs * (0.5 + randomFraction() / 2);
}
