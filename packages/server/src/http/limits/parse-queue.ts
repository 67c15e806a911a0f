import type { Clock } from "../../core/platform/clock.ts";
import { KeyedLimiter } from "../../core/platform/keyed-limiter.ts";

/** Bodies of one key that may queue. */
const WAITING_MAX = 64;
/** Pause after a body, as a multiple of the time that its parsing took. */
const PAUSE_TIMES = 3;

/** Runs work that parses a body before it yields. */
export type ParseInTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Queue of bodies per key: one is parsed at a time, and the next waits three times as long as the parsing took. A client
 * that sends them without end gets a quarter of the processor.
 */
export function createParseQueue(clock: Pick<Clock, "monotonic" | "sleep">): ParseInTurn {
  const queue = new KeyedLimiter({ concurrency: 1, waitingMax: WAITING_MAX });
  return async (key, work) => {
    const release = await queue.acquire(key);
    const startedMs = clock.monotonic();
    const result = work();
    void clock.sleep(PAUSE_TIMES * (clock.monotonic() - startedMs)).then(release, release);
    return result;
  };
}
