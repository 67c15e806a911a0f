import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;
/** For what no promise of time is made of: only what never comes to be takes as long, on however busy a machine. */
const NEVER_MS = 60_000;

/** Waits for what happens in its own time, and fails when it does not happen in so long. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  msMax = NEVER_MS,
): Promise<void> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedAt > msMax) {
      throw new Error(`This was not so within ${msMax} ms: ${isSo.toString()}`);
    }
    await sleep(POLL_MS);
  }
}
