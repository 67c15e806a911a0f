import type { AddressInfo } from "node:net";
import { encodeUuid } from "@longwave/contract";
import type { Deps } from "./deps.ts";
import { handlers } from "./handlers.ts";
import { createPipeline } from "./http/pipeline.ts";
import { plainRoutes } from "./http/plain-routes.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { createHttpServer } from "./http/server.ts";

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens for HTTP with everything wired together. */
export async function serve(
  deps: Deps,
  options: { host: string; port: number; operatorToken: string },
): Promise<RunningServer> {
  const limiter = createRateLimiter(deps.db, deps.clock, deps.config.rateLimitPerSecond);
  const app = createHttpServer({
    pipeline: createPipeline(deps, handlers, limiter, options.operatorToken),
    plainRoutes: plainRoutes(deps),
    makeRequestId: () => `req_${encodeUuid(deps.ids.make())}`,
    log: deps.log,
  });
  await app.listen({ host: options.host, port: options.port });
  const address = app.server.address() as AddressInfo;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${host}:${address.port}`, close: () => app.close() };
}
