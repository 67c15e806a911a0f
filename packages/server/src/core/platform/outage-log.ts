import type { Log } from "./log.ts";

const LOG_EVERY_MS = 60_000;

interface Outage {
  loggedAtMs: number;
  /** Failures since the last line. */
  count: number;
}

const outages = new WeakMap<Log, Map<string, Outage>>();

/**
 * Logs at once that an external resource fails, then at most once a minute with the number of failures since. A full
 * disk refuses every request, and one stack trace per request would fill it further. No stack: the cause lies
 * outside.
 */
export function logOutage(log: Log, what: string, error: unknown, nowMs = performance.now()): void {
  const ofLog = outages.get(log) ?? new Map<string, Outage>();
  outages.set(log, ofLog);
  const outage = ofLog.get(what) ?? { loggedAtMs: Number.NEGATIVE_INFINITY, count: 0 };
  ofLog.set(what, outage);
  outage.count += 1;
  if (nowMs - outage.loggedAtMs < LOG_EVERY_MS) return;
  const cause = deepestCause(error);
  const reason = cause instanceof Error ? cause.message : String(cause);
  const sqlState = (cause as { code?: unknown } | null)?.code;
  log.error({ count: outage.count, reason, ...(sqlState ? { sql_state: sqlState } : {}) }, what);
  outage.loggedAtMs = nowMs;
  outage.count = 0;
}

const CAUSES_MAX = 5;

function deepestCause(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX; depth += 1) {
    if (!(cause instanceof Error) || cause.cause === undefined) break;
    cause = cause.cause;
  }
  return cause;
}
