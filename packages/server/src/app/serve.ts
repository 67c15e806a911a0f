import type { AddressInfo } from "node:net";
import type { Problem } from "@longwave/contract";
import type { Handlers } from "./api/handler.ts";
import { callbackRoutes } from "./carriers/index.ts";
import { createConsole, createConsoleFiles } from "./console/index.ts";
import type { Deps } from "./deps.ts";
import { handlers } from "./handlers.ts";
import { plainRoutes } from "./health/routes.ts";
import { ADDRESS_LIMITS, type AddressLimits, createAddressLimiter } from "./http/address-limit.ts";
import { createAddressOf } from "./http/client-address.ts";
import type { ConnectionLimits } from "./http/connections.ts";
import { apiEntrance, operatorEntrance } from "./http/entrances.ts";
import { observeRoute } from "./http/exchange.ts";
import { createGate } from "./http/gate.ts";
import { createHeldBack, HELD_BACK_LIMITS, type HeldBackLimits } from "./http/held-back.ts";
import { createInTurn } from "./http/in-turn.ts";
import { explainListenError } from "./http/listen-failure.ts";
import { createPipeline } from "./http/pipeline.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { createBodyBudget } from "./http/read-body.ts";
import { createHttpServer } from "./http/server.ts";
import { createRequestLog, NO_REQUEST_LOG } from "./request-log/index.ts";
import { CLOSED_DOOR, createTwilioDoor } from "./twilio/index.ts";

/** Requests in hand at a stop have this long; what is left of the stop's time is the database's. */
const DRAIN_MS_MAX = 12_000;

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly operatorToken: string;
  /** What /metrics shows; this process's own metrics unless it is one of several. */
  readonly metricsText?: () => Promise<string>;
  /** Other limits than the usual ones, for tests that cannot wait for them. */
  readonly limits?: Partial<ConnectionLimits>;
  readonly addressLimits?: Partial<AddressLimits>;
  readonly heldBackLimits?: Partial<HeldBackLimits>;
  /** What is refused before anything else is looked at, while there is a hold. */
  readonly refuse?: (method: string, path: string) => Problem | null;
  /** Handlers that take the place of the usual ones, for tests of what a handler may do wrong. */
  readonly replacedHandlers?: Partial<Handlers<Deps>>;
}

/** Listens for HTTP with everything wired together. */
export async function serve(deps: Deps, options: ServeOptions): Promise<RunningServer> {
  const { db, clock, config } = deps;
  const ownMetrics = () => deps.metrics.registry.metrics();
  const used: Handlers<Deps> = { ...handlers, ...options.replacedHandlers };
  const heldBack = createHeldBack(clock, { ...HELD_BACK_LIMITS, ...options.heldBackLimits });
  const inTurn = createInTurn();
  const files = createConsoleFiles();
  const requests = config.requestLog
    ? createRequestLog({ ...deps, dropped: deps.metrics.requestsUnlogged })
    : NO_REQUEST_LOG;
  const pipeline = createPipeline({
    deps,
    handlers: used,
    rates: createRateLimiter(db, clock, config.rateLimitPerSecond),
    heldBack,
    inTurn,
    bodies: createBodyBudget(config.bodyMemoryMiB * 1024 * 1024),
    addresses: createAddressLimiter(clock, { ...ADDRESS_LIMITS, ...options.addressLimits }),
  });
  const people = createConsole(deps, createGate(heldBack), pipeline);
  const twilio = config.twilioDoor ? createTwilioDoor(deps, pipeline) : CLOSED_DOOR;
  const app = createHttpServer({
    pipeline,
    entrances: [
      apiEntrance(deps.keys),
      operatorEntrance(options.operatorToken),
      ...people.entrances,
    ],
    ownRoutes: [...people.ownRoutes, ...callbackRoutes(deps), ...twilio.routes],
    elsewhere: twilio.elsewhere,
    pageAt: files.pageAt,
    addressOf: createAddressOf(config.trustedProxies),
    plainRoutes: [...plainRoutes(deps, options.metricsText ?? ownMetrics), ...files.routes],
    makeRequestId: () => `req_${deps.ids.makeText()}`,
    log: deps.log,
    observe: (route) => observeRoute(route, { ...deps, requests }),
    ...(options.limits ? { limits: options.limits } : {}),
    ...(options.refuse ? { refuse: options.refuse } : {}),
  });
  try {
    await app.listen(options.host, options.port);
  } catch (error) {
    throw explainListenError(error, options.host, options.port);
  }
  const address = app.server.address() as AddressInfo;
  return {
    url: `http://${reachableHost(address)}:${address.port}`,
    async close() {
      deps.eventWaits.stop();
      const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS_MAX);
      await app.close();
      clearTimeout(cutOff);
      await requests.close();
    },
  };
}

/** Where a client on this machine finds us: "any address" is none that it could call. */
function reachableHost(address: AddressInfo): string {
  if (address.address === "0.0.0.0") return "127.0.0.1";
  if (address.address === "::") return "[::1]";
  return address.family === "IPv6" ? `[${address.address}]` : address.address;
}
