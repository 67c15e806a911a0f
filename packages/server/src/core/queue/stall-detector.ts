import type { Clock } from "../platform/clock.ts";

/** Work held by a worker that died is free again after a lease; after this nobody will do it. */
export const STUCK_MS_MAX = 35_000;
const WAIT_MS_MIN = 2;
const WAIT_MS_MAX = 50;

/** Waits for work that others have in hand: briefly at first, and not for ever. */
export interface StallDetector {
  /** What is due now; when that is no longer the same, others are getting on with it. */
  note(due: readonly { readonly lane: { readonly name: string }; readonly dueAt: number }[]): void;
  /** Something was done. */
  restore(): void;
  /** Answers false, without waiting, when nobody has got on for too long. */
  wait(): Promise<boolean>;
}

export function createStallDetector(clock: Pick<Clock, "monotonic" | "sleep">): StallDetector {
  let since: number | null = null;
  let waitMs = WAIT_MS_MIN;
  let noted = "";
  const restore = () => {
    since = null;
    waitMs = WAIT_MS_MIN;
  };
  return {
    note(due) {
      const seen = due.map(({ lane, dueAt }) => `${lane.name} ${dueAt}`).join();
      if (seen !== noted) restore();
      noted = seen;
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
