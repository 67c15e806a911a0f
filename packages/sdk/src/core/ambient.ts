/** The clock and the randomness of the program that uses the SDK: read here and nowhere else. */

const KEY_BYTES = 16;
const UINT32_VALUES = 2 ** 32;

export function nowSeconds(): number {
  // biome-ignore lint/plugin: the SDK lives in its user's program, whose clock this is
  return Math.floor(Date.now() / 1000);
}

/** A fresh Idempotency-Key: 128 random bits. */
export function makeIdempotencyKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return `auto_${hex}`;
}

/** At least 0, below 1. */
export function randomFraction(): number {
  const [value = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
  return value / UINT32_VALUES;
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
