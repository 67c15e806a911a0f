/** The reader's own clock and randomness: read here and nowhere else. */

export function nowMs(): number {
  // biome-ignore lint/plugin: this program runs in its reader's browser, whose clock this is
  return Date.now();
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
