/** The only module that reads the browser's clock and randomness. */

/** Below this difference two clocks count as equal: an answer takes a while to arrive. */
const SAME_CLOCK_MS = 5_000;
let serverAheadMs = 0;
const shiftListeners = new Set<() => void>();

/**
 * Browser time, for measuring durations. Times of events are on the server's clock, see `serverMs`.
 */
export function nowMs(): number {
  // biome-ignore lint/plugin: this program runs in its reader's browser, whose clock this is
  return Date.now();
}

/**
 * Present time on the server's clock, which may be a test clock, or right where the browser's is
 * wrong.
 */
export function serverMs(): number {
  return nowMs() + serverAheadMs;
}

/** Notes the server's time of a call that this browser began at `begunMs`. */
export function noteServerMs(shownMs: number, startedMs: number): void {
  const aheadMs = shownMs - startedMs;
  const nextMs = Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs;
  if (Math.abs(nextMs - serverAheadMs) < SAME_CLOCK_MS) return;
  serverAheadMs = nextMs;
  for (const listener of shiftListeners) listener();
}

/** Calls `onShift` when the server's clock has moved. */
export function onServerShift(listener: () => void): () => void {
  shiftListeners.add(listener);
  return () => {
    shiftListeners.delete(listener);
  };
}

/** A number below 1, to spread what many browsers would otherwise do at the same moment. */
export function jitter(): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return value / 2 ** 32;
}

/** A fresh Idempotency-Key: 128 random bits. */
export function makeIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
