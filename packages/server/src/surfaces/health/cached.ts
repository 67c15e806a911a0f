import type { Clock } from "../../core/platform/clock.ts";

/** Reads anew when the last answer is older than that; all who ask meanwhile share one. */
export function remembered<T>(
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
      // A failure is told to those who wait for it, and not kept.
      answer.catch(() => {
        answer = null;
      });
    }
    return answer;
  };
}
