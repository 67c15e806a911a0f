import { statement } from "../db/statement.ts";
import type { Deps } from "../deps.ts";
import type { PlainRoute } from "./server.ts";

const ping = statement("ping", "select 1 as alive");

/** What needs no key: health and readiness. */
export function plainRoutes(deps: Deps): PlainRoute[] {
  return [
    {
      path: "/healthz",
      answer: async () => ({ status: 200, type: "application/json", body: '{"status":"ok"}' }),
    },
    {
      path: "/readyz",
      answer: async () => {
        const isReady = await deps.db.query(ping, []).then(
          () => true,
          () => false,
        );
        const body = JSON.stringify({ ready: isReady });
        return { status: isReady ? 200 : 503, type: "application/json", body };
      },
    },
  ];
}
