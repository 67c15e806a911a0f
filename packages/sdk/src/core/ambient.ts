/** The clock and the randomness of the program that uses the SDK: read here and nowhere else. */

const KEY_BYTES = 16;

export function nowSeconds(): number {
  // biome-ignore lint/plugin: the SDK lives in its user's program, whose clock this is
  return Math.floor(Date.now() / 1000);
}

/** A fresh Idempotency-Key: 128 random bits. */
export function makeIdempotencyKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `auto_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
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
