import type { AddressInfo } from "node:net";
import type { Problem } from "@longwave/contract";
import type { Handlers } from "../http/api/handler.ts";
import { createBodyBudget } from "../http/body/read-body.ts";
import { createAddressOf } from "../http/exchange/client-address.ts";
import { type ObservedRoute, observeRoute } from "../http/exchange/exchange.ts";
import {
  ADDRESS_LIMITS,
  type AddressLimits,
  createAddressLimiter,
} from "../http/limits/address-limit.ts";
import { createAnonymousConcurrency } from "../http/limits/anonymous-concurrency.ts";
import { createConcurrencyLimits } from "../http/limits/concurrency-limits.ts";
import {
  createRefusalThrottle,
  REFUSAL_THROTTLE_LIMITS,
  type RefusalThrottleLimits,
} from "../http/limits/refusal-throttle.ts";
import { createRequestLog, NO_REQUEST_LOG } from "../http/request-log/index.ts";
import type { Calls } from "../http/server/calls.ts";
import type { ConnectionLimits } from "../http/server/connections.ts";
import { explainListenError } from "../http/server/listen-failure.ts";
import { apiMount, consoleKeyMount, operatorMount } from "../http/server/mounts.ts";
import { createPipeline } from "../http/server/pipeline.ts";
import type { OwnRoute } from "../http/server/router.ts";
import { createHttpServer } from "../http/server/server.ts";
import { CALLBACKS_PATH, callbackRoutes } from "../network/carriers/index.ts";
import { registryCallbackRoutes } from "../network/registrations/index.ts";
import { createConsole, createConsoleFiles } from "../surfaces/console/index.ts";
import { createReadiness } from "../surfaces/health/readiness.ts";
import { plainRoutes } from "../surfaces/health/routes.ts";
import { hookRoutes } from "../surfaces/hooks/index.ts";
import { createTwilioApi } from "../surfaces/twilio-api/index.ts";
import { listenAsTwilio } from "../surfaces/twilio-hosts/index.ts";
import type { Deps } from "./deps.ts";
import { handlers } from "./handlers.ts";

/** Deadline for requests in progress during a stop; the database gets the rest of the stop's time. */
const DRAIN_MS_MAX = 12_000;

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly operatorToken: string;
  /** Text of /metrics; by default this process's own metrics. */
  readonly metricsText?: () => Promise<string>;
  /** Overrides of the default limits, for tests. */
  readonly limits?: Partial<ConnectionLimits>;
  readonly addressLimits?: Partial<AddressLimits>;
  readonly refusalThrottleLimits?: Partial<RefusalThrottleLimits>;
  /** Refuses requests before anything else is checked, while the restore guard is set. */
  readonly refuse?: (method: string, path: string) => Problem | null;
  /** Replacement handlers, for tests of faulty ones. */
  readonly replacedHandlers?: Partial<Handlers<Deps>>;
}

/** Wires everything together and listens for HTTP. */
export async function serve(deps: Deps, options: ServeOptions): Promise<RunningServer> {
  const { clock, config } = deps;
  const ownMetrics = () => deps.metrics.registry.metrics();
  const used: Handlers<Deps> = { ...handlers, ...options.replacedHandlers };
  const refusalThrottle = createRefusalThrottle(clock, {
    ...REFUSAL_THROTTLE_LIMITS,
    ...options.refusalThrottleLimits,
  });
  const withinLimit = createConcurrencyLimits();
  const files = createConsoleFiles(clock);
  const requests = config.requestLog
    ? createRequestLog({
        ...deps,
        keepsBodies: config.requestLogBodies,
        dropped: deps.metrics.requestsUnlogged,
      })
    : NO_REQUEST_LOG;
  const pipeline = createPipeline({
    deps,
    handlers: used,
    rates: deps.rates,
    refusalThrottle,
    withinLimit,
    bodies: createBodyBudget(config.bodyMemoryMiB * 1024 * 1024),
    addresses: createAddressLimiter(clock, { ...ADDRESS_LIMITS, ...options.addressLimits }),
  });
  const readiness = createReadiness(deps);
  const people = createConsole(
    { ...deps, readiness },
    createAnonymousConcurrency(refusalThrottle),
    pipeline,
  );
  const twilio = config.twilioApi ? createTwilioApi(deps, pipeline) : null;
  const shared = {
    pipeline,
    addressOf: createAddressOf(config.trustedProxies),
    helpOrigin: config.publicUrl ?? "",
    makeRequestId: () => `req_${deps.ids.makeText()}`,
    log: deps.log,
    observe: (route: ObservedRoute) => observeRoute(route, { ...deps, requests }),
    hasErrorBody: (path: string) => !path.startsWith(CALLBACKS_PATH),
    ...(options.limits ? { limits: options.limits } : {}),
    ...(options.refuse ? { refuse: options.refuse } : {}),
  };
  const app = createHttpServer({
    ...shared,
    mounts: [
      apiMount(deps.keys),
      consoleKeyMount(deps.keys),
      operatorMount(options.operatorToken, deps.operatorTokens),
      ...people.mounts,
    ],
    ownRoutes: [...people.ownRoutes, ...calledRoutes(deps, pipeline), ...(twilio?.routes ?? [])],
    fallback: (path) => twilio?.fallback(path) ?? null,
    pageAt: files.pageAt,
    plainRoutes: [
      ...plainRoutes(deps, readiness, options.metricsText ?? ownMetrics),
      ...files.routes,
    ],
  });
  try {
    await app.listen(options.host, options.port);
  } catch (error) {
    throw explainListenError(error, options.host, options.port);
  }
  const hosts = twilio ? await listenAsTwilio(deps, shared, twilio) : null;
  const address = app.server.address() as AddressInfo;
  return {
    url: `http://${reachableHost(address)}:${address.port}`,
    async close() {
      deps.eventWaits.stop();
      const cutOff = setTimeout(() => {
        app.server.closeAllConnections();
        hosts?.cutOff();
      }, DRAIN_MS_MAX);
      await Promise.all([app.close(), hosts?.close()]);
      clearTimeout(cutOff);
      await requests.close();
    },
  };
}

/** Addresses that carriers, registries and other programs call. */
function calledRoutes(deps: Deps, pipeline: Calls): OwnRoute[] {
  return [
    ...callbackRoutes(deps, pipeline),
    ...hookRoutes(deps, pipeline),
    ...registryCallbackRoutes(deps, pipeline),
  ];
}

/** Host for clients on this machine: 0.0.0.0 and :: cannot be called. */
function reachableHost(address: AddressInfo): string {
  if (address.address === "0.0.0.0") return "127.0.0.1";
  if (address.address === "::") return "[::1]";
  return address.family === "IPv6" ? `[${address.address}]` : address.address;
}
