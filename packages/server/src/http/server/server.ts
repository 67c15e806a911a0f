import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "@longwave/contract";
import type { Log } from "../platform/log.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  guardConnections,
  refuseUnreadable,
} from "./connections.ts";
import type { Entrance } from "./entrances.ts";
import {
  type AddressOf,
  answerWith,
  Exchange,
  type RequestObserver,
  type Work,
} from "./exchange.ts";
import type { Pipeline } from "./pipeline.ts";
import type { OwnWork, PlainRoute } from "./plain-route.ts";
import { createRouter, type RoutedTarget } from "./router.ts";
import { createSerialize, type Serialize } from "./serializers.ts";
import { createSocketWindow } from "./socket-window.ts";

const HEADER_BYTES_MAX = 16_384;
/** The observer's name for requests that match no route. */
const UNMATCHED = "unmatched";
/** Pages and files are also asked for their headers alone; Node leaves the body out then. */
const PLAIN_METHODS = ["GET", "HEAD"];

export interface HttpServerOptions {
  readonly pipeline: Pipeline;
  readonly entrances: readonly Entrance[];
  readonly plainRoutes: readonly PlainRoute[];
  /** Calls that are no part of the API, and check for themselves who asks. */
  readonly ownRoutes: readonly OwnWork[];
  /** The page that a path without a route shows, if it is one of the console's. */
  readonly pageAt: (path: string) => PlainRoute | null;
  /** What answers a path that has no route, or none for this method, if it is somebody else's to answer. */
  readonly elsewhere: (path: string) => Work | null;
  readonly addressOf: AddressOf;
  readonly makeRequestId: () => string;
  readonly log: Log;
  /** Makes the observer of one route. */
  readonly observe: (route: string) => RequestObserver;
  readonly limits?: Partial<ConnectionLimits>;
  /** What is refused before anything else is looked at. */
  readonly refuse?: (method: string, path: string) => Problem | null;
}

export interface HttpServer {
  readonly server: Server;
  listen(host: string, port: number): Promise<void>;
  /** Takes no more connections, and resolves when the last request in hand has its answer. */
  close(): Promise<void>;
}

/** What answers the requests of one route. */
interface Target {
  readonly work: Work;
  readonly serialize: Serialize | null;
  readonly observer: RequestObserver;
}

/** Listens with `node:http`, finds the route of each request and answers it. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const { log } = options;
  const state = { log, isStopping: false };
  const window = createSocketWindow(limits);
  const router = createRouter(targetsOf(options));
  const unmatched = options.observe(UNMATCHED);

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
    try {
      const { work, serialize, observer } = targetFor(exchange);
      if (serialize) exchange.serialize = serialize;
      await answerWith(exchange, work, observer, state);
    } catch (error) {
      log.error({ err: error, request_id: exchange.requestId }, "an answer could not be written");
      response.destroy();
    }
    // An answer that waits for those before it is still in hand.
    if (response.socket !== null || response.destroyed || response.writableFinished) {
      window.leave(socket);
    } else response.once("close", () => window.leave(socket));
  };

  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Refused by checkRequest instead, which answers with a body.
    requireHostHeader: false,
  });
  server.maxRequestsPerSocket = limits.requestsPerSocketMax;
  // Headers beyond the limit must be seen to be refused; Node would drop them in silence.
  server.maxHeadersCount = 0;
  server.on("request", (request, response) =>
    window.enter(request, () => void answer(request, response)),
  );
  // Node would answer 417 without a body; an expectation we do not know may be ignored.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refuse = () => refuseUnreadable(error, socket, options.makeRequestId());
    const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (!isLate || !window.excuse(socket as Socket, refuse)) refuse();
  });
  guardConnections(server, limits);
  server.on("connection", (socket: Socket) => window.open(socket));
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
  const { pipeline, entrances, plainRoutes, ownRoutes, observe } = options;
  const ofEntrances = entrances.flatMap((entrance) =>
    entrance.routes.map((route): RoutedTarget<Target> => {
      const { spec } = route;
      const work: Work = (exchange) => pipeline.handle(entrance, route, exchange);
      const serialize = createSerialize(spec.streams ? {} : spec.answers);
      const target = { work, serialize, observer: observe(route.name) };
      return { method: spec.method, path: route.path, target };
    }),
  );
  const plain = plainRoutes.flatMap((route): RoutedTarget<Target>[] => {
    const { path } = route;
    const target = { work: plainWork(route), serialize: null, observer: observe(path) };
    return PLAIN_METHODS.map((method) => ({ method, path, target }));
  });
  const own = ownRoutes.map(({ method, path, work }): RoutedTarget<Target> => {
    return { method, path, target: { work, serialize: null, observer: observe(path) } };
  });
  return [...ofEntrances, ...plain, ...own];
}

function plainWork({ answer }: PlainRoute): Work {
  return async (exchange) => {
    const answered = await answer(exchange.request);
    if (!answered) throw nothingHere();
    const { status, type, body, headers } = answered;
    return { status, body: null, raw: body, headers: { ...headers, "content-type": type } };
  };
}

function refusing(options: HttpServerOptions, allow: readonly string[]): Work {
  return (exchange) => refuseUnknown(options, exchange, allow);
}

/** What answers a path that has no route, or none for this method (`allow` are those it takes). */
function withoutRoute(
  options: HttpServerOptions,
  exchange: Exchange,
  allow: readonly string[] | null,
): Work {
  const theirs = options.elsewhere(exchange.path);
  if (theirs) return theirs;
  return allow ? refusing(options, allow) : pageOrRefusal(options, exchange);
}

/** A path without a route may be one of the console's pages. */
function pageOrRefusal(options: HttpServerOptions, { request, path }: Exchange): Work {
  const page = PLAIN_METHODS.includes(request.method ?? "") ? options.pageAt(path) : null;
  return page ? plainWork(page) : refusing(options, []);
}

/** 404, or 405 with the methods that the path takes; whoever may not enter is told that first. */
async function refuseUnknown(
  { pipeline, entrances }: HttpServerOptions,
  exchange: Exchange,
  allow: readonly string[],
): Promise<never> {
  const entrance = entrances.find(({ base }) => isUnder(exchange.path, base));
  if (entrance) await pipeline.admit(entrance, null, exchange);
  if (allow.length === 0) throw nothingHere();
  const methods = allow.join(", ");
  throw new Problem("method_not_allowed", `This path takes ${methods}.`, {
    headers: { allow: methods },
  });
}

function nothingHere(): Problem {
  return new Problem("not_found", "There is nothing at this path. The reference is at /docs.");
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
