import { type Clock, yieldToEventLoop } from "./clock.ts";

/** A call for somebody else needs several turns of the event loop, and waits a slice at each. */
const SLICE_MS = 5;

/**
 * Cuts long work by the time that it takes, whatever it is about. Whoever does it asks after each
 * small part: `if (slices.isOver()) await slices.next();`
 */
export interface Slices {
  isOver(): boolean;
  /** Yields to the event loop. */
  next(): Promise<void>;
}

export function createSlices(clock: Pick<Clock, "monotonic">): Slices {
  let begunMs = clock.monotonic();
  return {
    isOver: () => clock.monotonic() - begunMs >= SLICE_MS,
    async next() {
      await yieldToEventLoop();
      begunMs = clock.monotonic();
    },
  };
}
