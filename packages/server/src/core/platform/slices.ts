import { type Clock, yieldToEventLoop } from "./clock.ts";

/** Longest slice. Another client's call needs several passes of the event loop, and waits one slice at each. */
const SLICE_MS = 5;

/**
 * Cuts long work into slices by elapsed time. Check after each small part: `if (slices.isOver()) await
 * slices.next();`
 */
export interface Slices {
  isOver(): boolean;
  /** Yields to the event loop. */
  next(): Promise<void>;
}

export function createSlices(clock: Pick<Clock, "monotonic">): Slices {
  let startedMs = clock.monotonic();
  return {
    isOver: () => clock.monotonic() - startedMs >= SLICE_MS,
    async next() {
      await yieldToEventLoop();
      startedMs = clock.monotonic();
    },
  };
}
