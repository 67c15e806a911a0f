import { Problem } from "@longwave/contract";

const WAITING_PER_KEY_MAX = 500;

export interface KeyedLimiterOptions {
  /** Slots of one key. */
  readonly concurrency: number;
  /** Callers of one key that may queue for a slot; 0 refuses at once. */
  readonly waitingMax?: number;
  /** Makes the refusal of a caller beyond `waitingMax`; 429 unless given. */
  readonly refuse?: () => Error;
}

interface Slots {
  inUse: number;
  /** Callers that queue, first in, first out; each is granted a slot by a call. */
  readonly waiting: Set<() => void>;
}

/**
 * Semaphore per key, in memory of this process. A rate limit counts calls and not their cost: a hundred imports
 * a second are within it. Callers of a busy key queue, and other keys do not notice. A key without holders takes
 * no memory.
 */
export class KeyedLimiter {
  readonly #concurrency: number;
  readonly #waitingMax: number;
  readonly #refuse: () => Error;
  readonly #keys = new Map<string, Slots>();

  constructor(options: KeyedLimiterOptions) {
    this.#concurrency = options.concurrency;
    this.#waitingMax = options.waitingMax ?? WAITING_PER_KEY_MAX;
    this.#refuse = options.refuse ?? tooMany;
  }

  /** Whether every slot of the key is in use, so that `acquire` would queue. */
  isFull(key: string): boolean {
    return (this.#keys.get(key)?.inUse ?? 0) >= this.#concurrency;
  }

  /**
   * Resolves with a function that releases the slot; only its first call counts. Rejects with the refusal when too
   * many callers queue, and with the signal's reason when the signal aborts first.
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const slots = this.#keys.get(key) ?? { inUse: 0, waiting: new Set() };
    if (slots.inUse < this.#concurrency) {
      slots.inUse += 1;
      this.#keys.set(key, slots);
    } else {
      if (slots.waiting.size >= this.#waitingMax) throw this.#refuse();
      await granted(slots.waiting, signal);
    }
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(key, slots);
    };
  }

  /** Does the work while holding a slot of the key. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Hands the slot to the next caller in the queue, so that no newcomer can take it in between. */
  #release(key: string, slots: Slots): void {
    const [grant] = slots.waiting;
    if (grant) grant();
    else slots.inUse -= 1;
    if (slots.inUse === 0) this.#keys.delete(key);
  }
}

function granted(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const grant = () => {
      waiting.delete(grant);
      signal?.removeEventListener("abort", abandon);
      resolve();
    };
    const abandon = () => {
      waiting.delete(grant);
      reject(signal?.reason);
    };
    waiting.add(grant);
    signal?.addEventListener("abort", abandon, { once: true });
  });
}

function tooMany(): Problem {
  return new Problem(
    "rate_limited",
    "Too many calls of this kind are waiting already. Send them one after the other.",
    { headers: { "retry-after": "1" } },
  );
}
