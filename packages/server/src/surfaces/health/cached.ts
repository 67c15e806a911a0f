import type { Clock } from "../../core/platform/clock.ts";

/** Caches a read for `ageMsMax`; concurrent callers share one read. */
export function cached<T>(
  clock: Clock,
  ageMsMax: number,
  read: () => Promise<T>,
): () => Promise<T> {
  let answer: Promise<T> | null = null;
  let readAtMs = 0;
  return () => {
    const nowMs = clock.monotonic();
    if (answer === null || nowMs - readAtMs > ageMsMax) {
      readAtMs = nowMs;
      answer = read();
      // Callers that wait get the failure; later callers read again.
      answer.catch(() => {
        answer = null;
      });
    }
    return answer;
  };
}
