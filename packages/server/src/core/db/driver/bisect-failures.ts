import { isRetryable, isUnavailable } from "./failures.ts";

/** A queue of items that are processed together, from its head. */
export interface BisectableQueue {
  /**
   * Processes up to `countMax` items at the head, all of them or none. Calls `claimed` with their
   * number before an item can make it fail.
   */
  process(countMax: number, claimed: (count: number) => void): Promise<void>;
  /** Removes the item at the head, which fails even alone. */
  quarantine(error: unknown): Promise<void>;
  /**
   * Whether a single item may cause this error. Other errors fail the whole group without bisecting.
   */
  isItemFault(error: unknown): boolean;
  /** Called for each failure with the number of items that failed together. */
  onFailure?(error: unknown, count: number): void;
}

/**
 * Processes up to `countMax` items and returns how many left the queue. When items fail together,
 * halves them until each poison item stands alone, so that no poison item fails its neighbours.
 */
export async function bisectFailures(countMax: number, queue: BisectableQueue): Promise<number> {
  let count = 0;
  try {
    await queue.process(countMax, (claimed) => {
      count = claimed;
    });
    return count;
  } catch (error) {
    if (count === 0 || !queue.isItemFault(error)) throw error;
    queue.onFailure?.(error, count);
    if (count === 1) {
      await queue.quarantine(error);
      return 1;
    }
  }
  const half = Math.ceil(count / 2);
  const done = await bisectFailures(half, queue);
  return done + (await bisectFailures(count - half, queue));
}

/**
 * An unavailable database fails every item, and a retryable transaction (deadlock, serialization) just runs again.
 */
export function isItemFault(error: unknown): boolean {
  return !isUnavailable(error) && !isRetryable(error);
}
