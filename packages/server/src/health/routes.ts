import type { PlainRoute } from "../http/plain-route.ts";
import type { WorkerDeps } from "../queue/deps.ts";
import { referenceRoutes } from "../reference/routes.ts";
import { createReadiness } from "./readiness.ts";

const JSON_TYPE = "application/json";
const METRICS_PATH = "/metrics";

/** What needs no key: health, readiness, metrics, the OpenAPI document and its page. */
export function plainRoutes(deps: WorkerDeps, metricsText: () => Promise<string>): PlainRoute[] {
  const health = healthRoutes(deps, metricsText);
  // With a port of their own, metrics are not for everybody who can reach the API.
  const isElsewhere = deps.config.metricsPort !== null;
  const shown = health.filter((route) => !(isElsewhere && route.path === METRICS_PATH));
  return [...shown, ...referenceRoutes()];
}

/** What whoever watches the machine asks for. */
export function healthRoutes(deps: WorkerDeps, metricsText: () => Promise<string>): PlainRoute[] {
  const readinessNow = createReadiness(deps);
  return [
    {
      path: "/healthz",
      answer: async () => ({ status: 200, type: JSON_TYPE, body: '{"status":"ok"}' }),
    },
    {
      path: "/readyz",
      answer: async () => {
        const readiness = await readinessNow();
        const status = readiness.ready ? 200 : 503;
        return { status, type: JSON_TYPE, body: JSON.stringify(readiness) };
      },
    },
    {
      path: METRICS_PATH,
      answer: async () => ({
        status: 200,
        type: deps.metrics.registry.contentType,
        body: await metricsText(),
      }),
    },
  ];
}
