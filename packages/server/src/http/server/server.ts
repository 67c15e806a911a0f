import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
// biome-ignore lint/style/noRestrictedImports: it listens, and nothing leaves
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { Problem } from "@longwave/contract";
import type { Log } from "../../core/platform/log.ts";
import {
  type AddressOf,
  answerWith,
  Exchange,
  type ObservedRoute,
  type RequestObserver,
  type Work,
} from "../exchange/exchange.ts";
import { createSerialize, type Serialize } from "../exchange/serializers.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  guardConnections,
  refuseUnreadable,
} from "./connections.ts";
import type { Mount } from "./mounts.ts";
import type { Pipeline } from "./pipeline.ts";
import { createRouter, type OwnRoute, type PlainRoute, type RoutedTarget } from "./router.ts";
import { createSocketWindow } from "./socket-window.ts";

const HEADER_BYTES_MAX = 16_384;
/** Codes of HTTP errors; all other errors of a TLS socket leave nothing to answer on. */
const HTTP_ERRORS = /^(HPE_|ERR_HTTP_)/;
/** The observer's name for requests that match no route. */
const UNMATCHED = "unmatched";
/** Pages and files also answer HEAD; Node omits the body then. */
const PLAIN_METHODS = ["GET", "HEAD"];

export interface HttpServerOptions {
  readonly pipeline: Pipeline;
  readonly mounts: readonly Mount[];
  readonly plainRoutes: readonly PlainRoute[];
  /** Calls outside the API that authenticate by themselves. */
  readonly ownRoutes: readonly OwnRoute[];
  /** The console page at a path without a route, if there is one. */
  readonly pageAt: (path: string) => PlainRoute | null;
  /** Answers a path that has no route, or none for this method, if another component serves it. */
  readonly fallback: (path: string) => Work | null;
  readonly addressOf: AddressOf;
  readonly makeRequestId: () => string;
  readonly log: Log;
  /** Makes the observer of one route. */
  readonly observe: (route: ObservedRoute) => RequestObserver;
  readonly limits?: Partial<ConnectionLimits>;
  /** Origin of the error pages in the `Link` header of errors; absent: the link is a path. */
  readonly helpOrigin?: string;
  /** Serves HTTPS with these options instead of HTTP. */
  readonly tls?: Pick<TlsOptions, "SNICallback">;
  /** Paths whose errors have no body. */
  readonly hasErrorBody?: (path: string) => boolean;
  /** Refusals that come before every other check. */
  readonly refuse?: (method: string, path: string) => Problem | null;
}

export interface HttpServer {
  readonly server: Server;
  listen(host: string, port: number): Promise<void>;
  /** Takes no more connections, and resolves when the last request in progress has its answer. */
  close(): Promise<void>;
}

/** Work that answers the requests of one route. */
interface Target {
  readonly work: Work;
  readonly serialize: Serialize | null;
  readonly observer: RequestObserver;
}

/** Listens with `node:http`, finds the route of each request and answers it. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const { log } = options;
  const { helpOrigin = "" } = options;
  const state = { log, isStopping: false, helpOrigin };
  const window = createSocketWindow(limits);
  const router = createRouter(targetsOf(options));
  const unmatched = options.observe({ name: UNMATCHED, path: UNMATCHED, isPage: false });

  const targetFor = (exchange: Exchange): Target => {
    const method = exchange.request.method ?? "";
    const refused = options.refuse?.(method, exchange.path) ?? null;
    const found = refused === null ? router.find(method, exchange.path) : null;
    if (found && found.target !== null) {
      exchange.params = found.params;
      return found.target;
    }
    const work: Work =
      refused === null
        ? withoutRoute(options, exchange, found?.allow ?? null)
        : () => Promise.reject(refused);
    return { work, serialize: null, observer: unmatched };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    const exchange = new Exchange(request, response, options.makeRequestId(), options.addressOf);
    exchange.hasErrorBody = options.hasErrorBody?.(exchange.path) ?? true;
    try {
      const { work, serialize, observer } = targetFor(exchange);
      if (serialize) exchange.serialize = serialize;
      await answerWith(exchange, work, observer, state);
    } catch (error) {
      log.error(
        { err: error, request_id: exchange.requestId },
        "http: answer could not be written",
      );
      response.destroy();
    }
    // An answer that waits for earlier answers of its socket is still in progress.
    if (response.socket !== null || response.destroyed || response.writableFinished) {
      window.leave(socket);
    } else response.once("close", () => window.leave(socket));
  };

  const settings = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    // checkRequest refuses a missing Host instead, with a body.
    requireHostHeader: false,
  };
  const server = options.tls
    ? createSecureServer({ ...options.tls, ...settings, handshakeTimeout: limits.headersTimeoutMs })
    : createServer(settings);
  // With TLS the event "connection" brings sockets of ciphertext.
  const connected = options.tls ? "secureConnection" : "connection";
  server.maxRequestsPerSocket = limits.requestsPerSocketMax;
  // No limit here, so that checkRequest can refuse excess headers; Node would drop them silently.
  server.maxHeadersCount = 0;
  server.on("request", (request, response) =>
    window.enter(request, () => void answer(request, response)),
  );
  // Node would answer 417 without a body; HTTP allows ignoring an unknown expectation.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (options.tls && !HTTP_ERRORS.test(error.code ?? "")) return void socket.destroy();
    const refuse = () => refuseUnreadable(error, socket, options.makeRequestId(), helpOrigin);
    const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (!isLate || !window.excuse(socket as Socket, refuse)) refuse();
  });
  guardConnections(server, connected, limits);
  server.on(connected, (socket: Socket) => window.open(socket));
  return {
    server,
    async listen(host, port) {
      server.listen({ host, port });
      await once(server, "listening");
    },
    async close() {
      state.isStopping = true;
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function targetsOf(options: HttpServerOptions): RoutedTarget<Target>[] {
  const { pipeline, mounts, plainRoutes, ownRoutes, observe } = options;
  const mountedRoutes = mounts.flatMap((mount) =>
    mount.routes.map((route): RoutedTarget<Target> => {
      const { spec } = route;
      const work: Work = (exchange) => pipeline.handle(mount, route, exchange);
      const serialize = createSerialize(spec.streams ? {} : spec.answers);
      const target = { work, serialize, observer: observe({ ...route, isPage: false }) };
      return { method: spec.method, path: route.path, target };
    }),
  );
  const plain = plainRoutes.flatMap((route): RoutedTarget<Target>[] => {
    const { path } = route;
    const observer = observe({ name: path, path, isPage: true });
    const target = { work: plainWork(route), serialize: null, observer };
    return PLAIN_METHODS.map((method) => ({ method, path, target }));
  });
  const own = ownRoutes.map(({ method, path, work }): RoutedTarget<Target> => {
    const observer = observe({ name: path, path, isPage: false });
    return { method, path, target: { work, serialize: null, observer } };
  });
  return [...mountedRoutes, ...plain, ...own];
}

function plainWork({ answer }: PlainRoute): Work {
  return async (exchange) => {
    const answered = await answer(exchange.request);
    if (!answered) throw pathNotFound();
    const { status, type, body, headers } = answered;
    return { status, body: null, raw: body, headers: { ...headers, "content-type": type } };
  };
}

function refusing(options: HttpServerOptions, allow: readonly string[]): Work {
  return (exchange) => refuseUnknown(options, exchange, allow);
}

/** Answers a path that has no route, or none for this method (`allow` lists its methods). */
function withoutRoute(
  options: HttpServerOptions,
  exchange: Exchange,
  allow: readonly string[] | null,
): Work {
  const theirs = options.fallback(exchange.path);
  if (theirs) return theirs;
  return allow ? refusing(options, allow) : pageOrRefusal(options, exchange);
}

/** A path without a route may be a page of the console. */
function pageOrRefusal(options: HttpServerOptions, { request, path }: Exchange): Work {
  const page = PLAIN_METHODS.includes(request.method ?? "") ? options.pageAt(path) : null;
  return page ? plainWork(page) : refusing(options, []);
}

/** 404, or 405 with the path's methods; an unauthenticated client gets 401 first. */
async function refuseUnknown(
  { pipeline, mounts }: HttpServerOptions,
  exchange: Exchange,
  allow: readonly string[],
): Promise<never> {
  const mount = mounts.find(({ base }) => isUnder(exchange.path, base));
  if (mount) await pipeline.admit(mount, null, exchange);
  if (allow.length === 0) throw pathNotFound();
  const methods = allow.join(", ");
  throw new Problem("method_not_allowed", `This path takes ${methods}.`, {
    headers: { allow: methods },
  });
}

function pathNotFound(): Problem {
  return new Problem("not_found", "There is nothing at this path. The reference is at /docs.");
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
