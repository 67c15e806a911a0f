/** The reader's own clock and randomness: read here and nowhere else. */

/** Below this two clocks count as the same: an answer takes a while to arrive. */
const SAME_CLOCK_MS = 5_000;
let serverAheadMs = 0;
const shiftHearers = new Set<() => void>();

/** For measuring: by the reader's clock. What the server tells happened by its own, see `serverMs`. */
export function nowMs(): number {
  // biome-ignore lint/plugin: this program runs in its reader's browser, whose clock this is
  return Date.now();
}

/** The present by the server's clock, which may be a test clock, or right where the reader's is wrong. */
export function serverMs(): number {
  return nowMs() + serverAheadMs;
}

/** What the server's clock showed when it took a call that was begun here at `begunMs`. */
export function noteServerMs(shownMs: number, begunMs: number): void {
  const aheadMs = shownMs - begunMs;
  const nextMs = Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs;
  if (Math.abs(nextMs - serverAheadMs) < SAME_CLOCK_MS) return;
  serverAheadMs = nextMs;
  for (const hear of shiftHearers) hear();
}

/** Hears that the server's clock was moved. */
export function onServerShift(hear: () => void): () => void {
  shiftHearers.add(hear);
  return () => {
    shiftHearers.delete(hear);
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
