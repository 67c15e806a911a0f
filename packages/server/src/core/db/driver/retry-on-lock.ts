import { setTimeout as sleep } from "node:timers/promises";
import { isRetryable, LOCK_NOT_AVAILABLE, sqlStateOf } from "./failures.ts";

/**
 * Maximum ms that a schema change waits for a table lock. Other users of the table queue behind the waiting change, so
 * it gives up soon and retries: the service keeps running during an upgrade.
 */
export const LOCK_WAIT_MS_MAX = 500;
const RETRY_MS = 500;
/** Two minutes. An operator has to find out who locks a table for longer. */
const TRIES_MAX = 120;

/**
 * Receives progress lines of a migration: for the waiting operator, or (`debug`) only for the debug log.
 */
export type Progress = (line: string, level?: "debug") => void;

/** Retries the work while it fails on a lock, a deadlock or a serialization failure. */
export async function retryOnLock<T>(
  what: string,
  progress: Progress,
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
