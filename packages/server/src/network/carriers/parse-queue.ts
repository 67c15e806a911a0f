import type { Clock } from "../../core/platform/clock.ts";
import { KeyedLimiter } from "../../core/platform/keyed-limiter.ts";

/** Bodies above this size queue. */
const SMALL_BODY_BYTES = 16 * 1024;
const LARGE_BODIES_WAITING_MAX = 64;
/** Pause after a large body, as a multiple of the time that its parsing took. */
const PAUSE_TIMES = 3;

/** Runs work that parses a body of so many bytes before it yields. */
export type ParseInTurn = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/**
 * Queue of large bodies: one is parsed at a time, and the next waits three times as long as the parsing took. A carrier
 * that sends them without end gets a quarter of the processor.
 */
export function createParseQueue(clock: Pick<Clock, "monotonic" | "sleep">): ParseInTurn {
  const queue = new KeyedLimiter({ concurrency: 1, waitingMax: LARGE_BODIES_WAITING_MAX });
  return async (bytes, work) => {
    if (bytes <= SMALL_BODY_BYTES) return work();
    const release = await queue.acquire("large");
    const startedMs = clock.monotonic();
    const result = work();
    void clock.sleep(PAUSE_TIMES * (clock.monotonic() - startedMs)).then(release, release);
    return result;
  };
}
