import { Problem } from "@longwave/contract";
import { DatabaseUnavailable } from "../db/failures.ts";
import { GroupFull } from "../db/group.ts";
import type { Log } from "../platform/log.ts";
import { logOutage } from "../platform/outage-log.ts";

const RETRY_AFTER_SECONDS = "1";

/** Anything thrown becomes a Problem: ours as it is, a database away 503, the rest 500. */
export function problemFrom(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof GroupFull) {
    log.warn({ request_id: requestId }, "too many writes are waiting");
    return unavailable();
  }
  if (error instanceof DatabaseUnavailable) {
    logOutage(log, "the database cannot be used", error);
    return unavailable();
  }
  log.error({ err: error, request_id: requestId }, "a request failed by a fault of ours");
  return new Problem("internal_error", "Something went wrong on our side. It has been logged.");
}

export function unavailable(): Problem {
  return new Problem("unavailable", "The service cannot answer right now. Try again.", {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

/** The body of every error. */
export function errorBody(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    error: {
      code: problem.code,
      message: problem.message,
      param: problem.details.param ?? null,
      request_id: requestId,
      ...problem.details.extra,
    },
    ...problem.details.beside,
  };
}
