import { Problem } from "@longwave/contract";
import { DatabaseUnavailable } from "../../core/db/driver/failures.ts";
import { GroupFull } from "../../core/db/driver/group.ts";
import type { Log } from "../../core/platform/log.ts";
import { logOutage } from "../../core/platform/outage-log.ts";

const RETRY_AFTER_SECONDS = "1";

/** Turns anything thrown into a Problem: a Problem stays, an unavailable database is 503, the rest 500. */
export function problemFrom(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof GroupFull) {
    log.warn({ request_id: requestId }, "http: too many waiting writes");
    return unavailable();
  }
  if (error instanceof DatabaseUnavailable) {
    logOutage(log, "the database cannot be used", error);
    return unavailable();
  }
  log.error({ err: error, request_id: requestId }, "http: request failed");
  return new Problem("internal_error", "Something went wrong on our side.");
}

export function unavailable(): Problem {
  return new Problem("unavailable", "The service cannot answer right now. Try again.", {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

/** `Link` header of every error: the page that explains its code. */
export function helpLink({ code }: Problem, origin: string): string {
  return `<${origin}/docs/errors/${code}>; rel="help"`;
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
