import type { Deps } from "../deps.ts";
import { type QueueHealth, queueHealth } from "../queue/health.ts";
import { referenceRoutes } from "./reference.ts";
import type { PlainRoute } from "./server.ts";

/** Anybody may ask as often as they like; the database is asked once in so long. */
const READINESS_MS_MAX = 1_000;

/** What needs no key: health, readiness, the OpenAPI document and its page. */
export function plainRoutes(deps: Deps): PlainRoute[] {
  const health = remembered(deps, () => queueHealth(deps));
  return [
    {
      path: "/healthz",
      answer: async () => ({ status: 200, type: "application/json", body: '{"status":"ok"}' }),
    },
    {
      path: "/readyz",
      answer: async () => {
        const body = await readiness(health);
        const status = body.ready ? 200 : 503;
        return { status, type: "application/json", body: JSON.stringify(body) };
      },
    },
    ...referenceRoutes(),
  ];
}

/** Ready means that requests are answered and that due work is being done. */
async function readiness(
  health: () => Promise<QueueHealth>,
): Promise<{ ready: boolean } & Record<string, unknown>> {
  let queue: QueueHealth;
  try {
    queue = await health();
  } catch {
    return { ready: false, database: "unavailable" };
  }
  return {
    ready: queue.isHealthy,
    database: "ok",
    live_workers: queue.liveWorkers,
    lanes: queue.lanes.map((lane) => ({ name: lane.lane, seconds_behind: lane.secondsBehind })),
  };
}

function remembered<T>(deps: Deps, read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  let readAt = 0;
  return () => {
    const now = deps.clock.monotonic();
    if (answer === null || now - readAt > READINESS_MS_MAX) {
      answer = read();
      readAt = now;
    }
    return answer;
  };
}
