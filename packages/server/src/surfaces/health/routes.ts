import type { IncomingMessage } from "node:http";
import type { Clock } from "../../core/platform/clock.ts";
import { isFromThisMachine } from "../../http/exchange/client-address.ts";
import type { PlainAnswer, PlainRoute } from "../../http/server/router.ts";
import { referenceRoutes } from "../reference/routes.ts";
import { cached } from "./cached.ts";
import { createReadiness, type HealthDeps, type Readiness, withoutDetails } from "./readiness.ts";

const JSON_TYPE = "application/json";
/** Maximum age of the cached metrics. */
const METRICS_MS_MAX = 1_000;

export type MetricsText = () => Promise<string>;

/** Routes without a key: health, readiness, metrics, the OpenAPI document and its page. */
export function plainRoutes(
  deps: HealthDeps,
  readiness: () => Promise<Readiness>,
  metricsText: MetricsText,
): PlainRoute[] {
  const shown = [
    ...healthRoutes(readiness, isFromThisMachine),
    ...referenceRoutes(deps.config.countries),
  ];
  // With a port of their own, metrics are hidden from clients of the API.
  return deps.config.metricsPort === null
    ? [...shown, forThisMachine(metricsRoute(deps, metricsText))]
    : shown;
}

/** Routes for monitoring, on a port of their own. */
export function watchedRoutes(deps: HealthDeps, metricsText: MetricsText): PlainRoute[] {
  return [...healthRoutes(createReadiness(deps), () => true), metricsRoute(deps, metricsText)];
}

/** `showsDetails`: whether a client of /readyz may see more than the names of the checks. */
function healthRoutes(
  readinessNow: () => Promise<Readiness>,
  showsDetails: (request: IncomingMessage) => boolean,
): PlainRoute[] {
  return [
    {
      path: "/healthz",
      answer: () => ({ status: 200, type: JSON_TYPE, body: '{"status":"ok"}' }),
    },
    {
      path: "/readyz",
      answer: async (request) => {
        const readiness = await readinessNow();
        const status = readiness.ready ? 200 : 503;
        const shown = showsDetails(request) ? readiness : withoutDetails(readiness);
        return { status, type: JSON_TYPE, body: JSON.stringify(shown) };
      },
    },
  ];
}

function metricsRoute(
  deps: { readonly clock: Clock; readonly metrics: HealthDeps["metrics"] },
  metricsText: MetricsText,
): PlainRoute {
  const bytes = cached(deps.clock, METRICS_MS_MAX, async () => Buffer.from(await metricsText()));
  const type = deps.metrics.registry.contentType;
  return { path: "/metrics", answer: async () => ({ status: 200, type, body: await bytes() }) };
}

/** Other machines get 404 for this path. */
function forThisMachine(route: PlainRoute): PlainRoute {
  return {
    path: route.path,
    answer: (request): PlainAnswer | null | Promise<PlainAnswer | null> =>
      isFromThisMachine(request) ? route.answer(request) : null,
  };
}
