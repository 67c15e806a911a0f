import type { Clock } from "../../core/platform/clock.ts";

/**
 * Paces refusals. A refusal costs the server nearly as much as an answer and the client nothing; a client that ignores
 * refusals would use up the processor. After a burst, further refusals leave at a steady pace. A waiting refusal counts
 * as in progress, so its socket is not read further.
 */
export interface RefusalThrottle {
  /** Waits until this key (an account or an address) may be refused again. */
  wait(key: string): Promise<void>;
}

export interface RefusalThrottleLimits {
  readonly refusalsBurst: number;
  readonly refusalsPerSecond: number;
  /** Upper bound of the wait in ms, for clients with very many waiting refusals. */
  readonly waitMsMax: number;
}

export const REFUSAL_THROTTLE_LIMITS: RefusalThrottleLimits = {
  refusalsBurst: 200,
  refusalsPerSecond: 100,
  waitMsMax: 5_000,
};

const KEYS_MAX = 10_000;

export function createRefusalThrottle(
  clock: Clock,
  limits: RefusalThrottleLimits,
): RefusalThrottle {
  const stepMs = 1_000 / limits.refusalsPerSecond;
  /** Time of each key's last refusal at the steady pace. */
  const lastDueMs = new Map<string, number>();
  return {
    async wait(key) {
      const nowMs = clock.monotonic();
      const earliestMs = nowMs - limits.refusalsBurst * stepMs;
      const dueMs = Math.max(lastDueMs.get(key) ?? 0, earliestMs) + stepMs;
      const keptMs = Math.min(dueMs, nowMs + limits.waitMsMax);
      // Reinserted as the newest, so that the first entry is the least recently used.
      lastDueMs.delete(key);
      const [oldest] = lastDueMs.size >= KEYS_MAX ? lastDueMs.keys() : [];
      if (oldest !== undefined) lastDueMs.delete(oldest);
      lastDueMs.set(key, keptMs);
      if (keptMs > nowMs) await clock.sleep(keptMs - nowMs);
    },
  };
}
