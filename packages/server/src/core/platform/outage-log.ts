import type { Log } from "./log.ts";

const SAID_EVERY_MS = 60_000;

interface Outage {
  saidAtMs: number;
  /** Refusals since it was last said. */
  count: number;
}

const outages = new WeakMap<Log, Map<string, Outage>>();

/**
 * Says at once that something outside of us does not work, and again once a minute with how often
 * that was so meanwhile: a full disk refuses every request, and a stack for each would fill it
 * further. One line, without a stack: the cause lies elsewhere.
 */
export function logOutage(log: Log, what: string, error: unknown, nowMs = performance.now()): void {
  const ofLog = outages.get(log) ?? new Map<string, Outage>();
  outages.set(log, ofLog);
  const outage = ofLog.get(what) ?? { saidAtMs: Number.NEGATIVE_INFINITY, count: 0 };
  ofLog.set(what, outage);
  outage.count += 1;
  if (nowMs - outage.saidAtMs < SAID_EVERY_MS) return;
  const cause = deepestCause(error);
  const reason = cause instanceof Error ? cause.message : String(cause);
  const sqlState = (cause as { code?: unknown } | null)?.code;
  log.error({ count: outage.count, reason, ...(sqlState ? { sql_state: sqlState } : {}) }, what);
  outage.saidAtMs = nowMs;
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
