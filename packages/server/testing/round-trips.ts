import { setTimeout as sleep } from "node:timers/promises";
import type { Kit } from "./kit.ts";

const QUERY_EVERY_MS = 50;

export function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Measures how busy the machine is: the median time, in milliseconds, that its database takes to respond
 * until the result is asked for. Latency limits hold on an idle machine; tests widen them by this value.
 */
export function watchRoundTrips(kit: Pick<Kit, "rows">): () => Promise<number> {
  const tookMs: number[] = [];
  let isOver: boolean = false;
  const watch = async () => {
    do {
      const startedAt = performance.now();
      await kit.rows("select 1");
      tookMs.push(performance.now() - startedAt);
      await sleep(QUERY_EVERY_MS);
    } while (!isOver);
  };
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return medianOf(tookMs);
  };
}
