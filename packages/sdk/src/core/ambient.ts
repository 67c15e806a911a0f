/** Clock and randomness of the runtime; no other file reads them. */

const KEY_BYTES = 16;

export function nowSeconds(): number {
  // biome-ignore lint/plugin: the SDK lives in its user's program, whose clock this is
  return Math.floor(Date.now() / 1000);
}

// Random bytes are fetched in bulk: a call costs far more than its bytes.
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

function randomBytes(count: number): Uint8Array {
  if (used + count > POOL_BYTES) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}

/** A fresh Idempotency-Key: 128 random bits. */
export function makeIdempotencyKey(): string {
  let hex = "";
  for (const byte of randomBytes(KEY_BYTES)) hex += (byte + 0x100).toString(16).slice(1);
  return `auto_${hex}`;
}

/** Uniform in [0, 1). */
export function randomFraction(): number {
  const [a = 0, b = 0, c = 0] = randomBytes(3);
  return (a * 65_536 + b * 256 + c) / 2 ** 24;
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
