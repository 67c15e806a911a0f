import { setTimeout as sleep } from "node:timers/promises";
import { isRetryable, LOCK_NOT_AVAILABLE, sqlStateOf } from "./failures.ts";

/**
 * How long a change of a table waits for its lock. Whoever asks for the table meanwhile waits behind it, so it
 * gives up soon, lets them through and tries again: the service goes on while it is upgraded.
 */
export const LOCK_WAIT_MS_MAX = 500;
const RETRY_MS = 500;
/** Two minutes. Somebody who holds a table for longer has to be looked for. */
const TRIES_MAX = 120;

/** Does what may find a table in use, until it does not. */
export async function patiently<T>(
  what: string,
  progress: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      const isLocked = sqlStateOf(cause) === LOCK_NOT_AVAILABLE || isRetryable(cause);
      if (!isLocked || tries >= TRIES_MAX) throw error;
      progress(`  ${what} waits for a table that is in use; trying again …`);
      await sleep(RETRY_MS);
    }
  }
}
