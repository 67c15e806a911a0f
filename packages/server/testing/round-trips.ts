import { setTimeout as sleep } from "node:timers/promises";
import type { Kit } from "./kit.ts";

const ASK_EVERY_MS = 50;

export function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Promises of time are for an idle machine. How busy this one is in this very while is told by how long
 * its database takes to answer, asked all along: the answer is the median of that, in milliseconds.
 */
export function watchRoundTrips(kit: Pick<Kit, "rows">): () => Promise<number> {
  const tookMs: number[] = [];
  let isOver: boolean = false;
  const watch = async () => {
    do {
      const startedAt = performance.now();
      await kit.rows("select 1");
      tookMs.push(performance.now() - startedAt);
      await sleep(ASK_EVERY_MS);
    } while (!isOver);
  };
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return medianOf(tookMs);
  };
}
