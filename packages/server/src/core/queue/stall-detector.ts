import type { Clock } from "../platform/clock.ts";

/** Work of a dead worker is free again after a lease; past this limit nobody will do it. */
export const STUCK_MS_MAX = 35_000;
const WAIT_MS_MIN = 2;
const WAIT_MS_MAX = 50;

/** Waits for work that other processes have claimed: briefly at first, then longer, and not forever. */
export interface StallDetector {
  /** Records the due work. A change means that other processes make progress. */
  note(due: readonly { readonly lane: { readonly name: string }; readonly dueAt: number }[]): void;
  /** Records progress of this process. */
  restore(): void;
  /** Waits a little. Returns false, without waiting, when there was no progress for `STUCK_MS_MAX`. */
  wait(): Promise<boolean>;
}

export function createStallDetector(clock: Pick<Clock, "monotonic" | "sleep">): StallDetector {
  let since: number | null = null;
  let waitMs = WAIT_MS_MIN;
  let lastSeen = "";
  const restore = () => {
    since = null;
    waitMs = WAIT_MS_MIN;
  };
  return {
    note(due) {
      const seen = due.map(({ lane, dueAt }) => `${lane.name} ${dueAt}`).join();
      if (seen !== lastSeen) restore();
      lastSeen = seen;
    },
    restore,
    async wait() {
      since ??= clock.monotonic();
      if (clock.monotonic() - since > STUCK_MS_MAX) return false;
      await clock.sleep(waitMs);
      waitMs = Math.min(waitMs * 2, WAIT_MS_MAX);
      return true;
    },
  };
}
