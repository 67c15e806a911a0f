import type { Clock } from "../platform/clock.ts";

/**
 * A refusal is nearly as much work as an answer, and costs whoever asks nothing: a client that goes
 * on without heeding it would take all of the processor's time with refusals. So after some of them
 * the next come at a steady pace. A call that waits for its refusal is in hand, so a socket with many
 * of them is not read any further.
 */
export interface HeldBack {
  /** Waits until this one (an account, or an address) may be refused again. */
  wait(who: string): Promise<void>;
}

export interface HeldBackLimits {
  readonly refusalsBurst: number;
  readonly refusalsPerSecond: number;
  /** Whoever keeps very many waiting gets them sooner: nobody waits longer than this. */
  readonly waitMsMax: number;
}

export const HELD_BACK_LIMITS: HeldBackLimits = {
  refusalsBurst: 200,
  refusalsPerSecond: 100,
  waitMsMax: 5_000,
};

const REMEMBERED_MAX = 10_000;

export function createHeldBack(clock: Clock, limits: HeldBackLimits): HeldBack {
  const stepMs = 1_000 / limits.refusalsPerSecond;
  /** When the last refusal of each is due, as if they all came at the steady pace. */
  const lastDueMs = new Map<string, number>();
  return {
    async wait(who) {
      const nowMs = clock.monotonic();
      const earliestMs = nowMs - limits.refusalsBurst * stepMs;
      const dueMs = Math.max(lastDueMs.get(who) ?? 0, earliestMs) + stepMs;
      const keptMs = Math.min(dueMs, nowMs + limits.waitMsMax);
      // Newest last, so that the first is the one heard of longest ago.
      lastDueMs.delete(who);
      const [oldest] = lastDueMs.size >= REMEMBERED_MAX ? lastDueMs.keys() : [];
      if (oldest !== undefined) lastDueMs.delete(oldest);
      lastDueMs.set(who, keptMs);
      if (keptMs > nowMs) await clock.sleep(keptMs - nowMs);
    },
  };
}
