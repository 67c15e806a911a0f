import type { Caller } from "../api/caller.ts";
import type { PipelineAnswer } from "../api/handler.ts";
import type { Clock } from "../platform/clock.ts";
import { toApiId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { AnsweredRequest, RequestLog } from "../request-log/index.ts";
import type { Exchange } from "./exchange.ts";

export interface RequestObserver {
  /** The time that `end` is given back. */
  begin(): number;
  /** Called when the answer is known; `code` is that of a refusal. */
  end(startedMs: number, exchange: Exchange, answer: PipelineAnswer, code: string | null): void;
}

/**
 * Counts and logs the answers of one route. One line a request, at debug; a failure of ours shows
 * at info too. It names the route and never the path, whose ids and queries belong to somebody.
 */
export function observeRoute(
  route: string,
  options: { clock: Clock; log: Log; metrics: Metrics; requests: RequestLog },
): RequestObserver {
  const { clock, log, metrics, requests } = options;
  const meter = metrics.route(route);
  return {
    begin: () => clock.monotonic(),
    end(startedMs, exchange, answer, code) {
      const { status } = answer;
      const durationMs = clock.monotonic() - startedMs;
      meter(status, durationMs / 1_000);
      const isReplayed = answer.headers?.["idempotent-replayed"] === "true";
      if (isReplayed) metrics.replayed.inc();
      if (code === "rate_limited") metrics.rateLimited.inc();
      noteIn(requests, exchange, { status, code, durationMs, isReplayed });
      const level = status >= 500 ? "info" : "debug";
      if (!log.isLevelEnabled(level)) return;
      log[level](
        {
          request_id: exchange.requestId,
          route,
          method: exchange.request.method,
          status,
          duration_ms: Math.round(durationMs * 100) / 100,
          account: accountOf(exchange.caller),
          ...(code === null ? {} : { error: code }),
        },
        "request",
      );
    },
  };
}

function accountOf(caller: Caller | null): string | null {
  if (caller === null) return null;
  return caller.kind === "operator" ? "operator" : toApiId("account", caller.account.id);
}

/** Programs' requests only: what people do in the console is in the audit log. */
function noteIn(
  requests: RequestLog,
  { caller, requestId, request, path }: Exchange,
  answer: Pick<AnsweredRequest, "status" | "code" | "durationMs" | "isReplayed">,
): void {
  if (caller?.kind !== "key") return;
  requests.note({ caller, requestId, method: request.method ?? "", path, ...answer });
}
