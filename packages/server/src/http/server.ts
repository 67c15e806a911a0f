import { once } from "node:events";
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline as pipeThrough } from "node:stream/promises";
import { type ErrorCode, Problem, type RouteSpec } from "@longwave/contract";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Caller } from "../api/caller.ts";
import type { PipelineAnswer } from "../api/handler.ts";
import type { Log } from "../platform/log.ts";
import { checkRequest } from "./check-request.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  guardConnections,
  refuseUnreadable,
} from "./connections.ts";
import type { RequestObserver } from "./observe.ts";
import type { CompiledRoute, Exchange, Pipeline } from "./pipeline.ts";
import type { PlainRoute } from "./plain-route.ts";
import { discardRest } from "./read-body.ts";
import { errorBody, problemFrom } from "./reply.ts";
import { withoutIds } from "./validate.ts";

const HEADER_BYTES_MAX = 16_384;
const PARAM_CHARS_MAX = 200;

export interface HttpServerOptions {
  readonly pipeline: Pipeline;
  readonly plainRoutes: readonly PlainRoute[];
  readonly makeRequestId: () => string;
  readonly log: Log;
  /** Makes the observer of one route. */
  readonly observe: (route: string) => RequestObserver;
  readonly limits?: Partial<ConnectionLimits>;
}

/** What answers the requests of one route. */
type Respond = (request: FastifyRequest, reply: FastifyReply) => void;
type Work = (exchange: Exchange) => Promise<PipelineAnswer>;
type MakeRespond = (route: string, work: Work, answers?: RouteSpec["answers"]) => Respond;

interface RouteWork {
  readonly route: string;
  readonly work: Work;
  readonly serializerOf: (reply: FastifyReply) => Serialize;
}

/** The observer's name for requests that match no route. */
const UNMATCHED = "unmatched";

/** Turns the route table into listeners. The only file that knows Fastify. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { pipeline, makeRequestId } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const stop = { isStopping: false };
  const makeRespond: MakeRespond = (route, work, answers = {}) =>
    createRespond(options, stop, { route, work, serializerOf: createSerializers(answers) });
  const answerUnknown = makeRespond(UNMATCHED, async (exchange) => {
    await admit(pipeline, exchange);
    throw unknownPath(pipeline, options.plainRoutes, exchange);
  });

  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxRequestsPerSocket: limits.requestsPerSocketMax,
    forceCloseConnections: "idle",
    // While stopping, a request that still arrives on an open connection is answered as any other.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX, caseSensitive: true },
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkedEveryMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Refused by checkRequest instead, which answers with a body.
      requireHostHeader: false,
    },
    // A path that cannot be decoded, or a part of it that no id is as long as: nothing is there.
    frameworkErrors: (_error, request, reply) => answerUnknown(request, reply),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, makeRequestId()),
  });
  prepareServer(app, limits);
  app.addHook("preClose", (done) => {
    stop.isStopping = true;
    done();
  });
  for (const route of pipeline.routes) addRoute(app, route, pipeline, makeRespond);
  for (const plain of options.plainRoutes) addPlainRoute(app, plain, makeRespond);
  app.setNotFoundHandler(answerUnknown);
  return app;
}

/**
 * Answers a route's requests. The answer is written to the socket here: Fastify's own way, with
 * its hooks and its bookkeeping of headers, costs a tenth of such a request and gives nothing that
 * is used.
 */
function createRespond(
  options: HttpServerOptions,
  stop: { readonly isStopping: boolean },
  { route, work, serializerOf }: RouteWork,
): Respond {
  const { log, makeRequestId } = options;
  const observer = options.observe(route);
  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const startedMs = observer.begin();
    const exchange = new FastifyExchange(request, makeRequestId(), serializerOf(reply));
    let answer: PipelineAnswer;
    let body: string | Buffer | Readable;
    let code: ErrorCode | null = null;
    try {
      checkRequest(exchange.request);
      answer = await work(exchange);
      body = bodyOf(exchange, answer);
      // What fails before its first byte is answered as any other fault.
      if (body instanceof Readable) await once(body, "readable");
    } catch (error) {
      const problem = problemFrom(error, log, exchange.requestId);
      code = problem.code;
      answer = refusal(problem, exchange.requestId);
      body = JSON.stringify(answer.body);
    }
    discardRest(exchange.request);
    observer.end(startedMs, exchange, answer, code);
    const headers = headersOf(exchange, answer, body);
    // Answers given while stopping end their connection: a stop waits for none that is kept alive.
    if (stop.isStopping || isLastOfSocket(reply.raw)) headers["connection"] = "close";
    if (body instanceof Readable) return writeStream(reply.raw, answer.status, headers, body);
    reply.raw.writeHead(answer.status, headers).end(body);
  };
  return (request, reply) => {
    reply.hijack();
    respond(request, reply).catch((error: unknown) => {
      log.error({ err: error, route }, "an answer could not be written");
      reply.raw.destroy();
    });
  };
}

/**
 * After the last request that a socket may bring, Node says so to the client and leaves it to it to
 * close; only an answer that names the end itself makes the server close.
 */
function isLastOfSocket(response: ServerResponse): boolean {
  return (
    (response as { maxRequestsOnConnectionReached?: boolean }).maxRequestsOnConnectionReached ===
    true
  );
}

function bodyOf(exchange: Exchange, answer: PipelineAnswer): string | Buffer | Readable {
  if (answer.raw !== undefined) return answer.raw;
  if (answer.text !== undefined) return answer.text;
  if (answer.body instanceof Readable) return answer.body;
  return exchange.serialize(answer.status, answer.body);
}

function headersOf(
  exchange: Exchange,
  answer: PipelineAnswer,
  body: string | Buffer | Readable,
): Record<string, string | number> {
  const headers: Record<string, string | number> = exchange.headers;
  if (answer.headers) Object.assign(headers, answer.headers);
  if (body instanceof Readable) return headers;
  if (answer.raw === undefined) headers["content-type"] = "application/json; charset=utf-8";
  headers["content-length"] = Buffer.byteLength(body);
  return headers;
}

/** A stream that breaks off breaks its connection off: nobody may take half a file for a whole. */
async function writeStream(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  body: Readable,
): Promise<void> {
  response.writeHead(status, headers);
  await pipeThrough(body, response).catch(() => response.destroy());
}

function prepareServer(app: FastifyInstance, limits: ConnectionLimits): void {
  // Headers beyond the limit must be seen to be refused; Node would drop them in silence.
  app.server.maxHeadersCount = 0;
  // Node would answer 417 without a body; an expectation we do not know may be ignored.
  app.server.on("checkExpectation", (request, response) => {
    app.server.emit("request", request, response);
  });
  guardConnections(app.server, limits);
  // The pipeline reads bodies itself, after it knows who is asking: Fastify must not even look at
  // their type before.
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]) {
    if (METHODS.includes(method)) {
      app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    }
  }
}

function addRoute(
  app: FastifyInstance,
  route: CompiledRoute,
  pipeline: Pipeline,
  makeRespond: MakeRespond,
): void {
  app.route({
    method: route.spec.method,
    url: route.spec.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    handler: makeRespond(
      route.name,
      (exchange) => pipeline.handle(route, exchange),
      route.spec.streams ? {} : route.spec.answers,
    ),
  });
}

function addPlainRoute(app: FastifyInstance, plain: PlainRoute, makeRespond: MakeRespond): void {
  const respond = makeRespond(plain.path, async () => {
    const { status, type, body, headers } = await plain.answer();
    return { status, body: null, raw: body, headers: { ...headers, "content-type": type } };
  });
  app.get(plain.path, respond);
}

type Serialize = Exchange["serialize"];

/**
 * The serialisers of one route, made by Fastify from the answers' schemas when first used. An
 * answer of one of two shapes is left to JSON.stringify, because telling them apart costs more
 * than it saves.
 */
function createSerializers(answers: RouteSpec["answers"]): (reply: FastifyReply) => Serialize {
  const known = new Map<number, (body: unknown) => string>();
  const make = (reply: FastifyReply, status: number): ((body: unknown) => string) => {
    const schema = (answers as Readonly<Record<number, object>>)[status];
    if (!schema || "anyOf" in schema) return JSON.stringify;
    const serialize = reply.compileSerializationSchema(withoutIds(schema), String(status));
    return (body) => serialize(body as Record<string, unknown>);
  };
  return (reply) => (status, body) => {
    let serialize = known.get(status);
    if (!serialize) {
      serialize = make(reply, status);
      known.set(status, serialize);
    }
    return serialize(body);
  };
}

async function admit(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  if (isUnder(exchange.path, "/v1")) await pipeline.admitUnknown(exchange, false);
  else if (isUnder(exchange.path, "/operator/v1")) await pipeline.admitUnknown(exchange, true);
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** A class, because this is made for every request: the address costs a call into the system. */
class FastifyExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Record<string, string>;
  readonly serialize: Serialize;
  caller: Caller | null = null;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest, requestId: string, serialize: Serialize) {
    const url = request.raw.url ?? "/";
    const split = url.indexOf("?");
    this.#request = request;
    this.request = request.raw as IncomingMessage;
    this.requestId = requestId;
    this.path = split === -1 ? url : url.slice(0, split);
    this.rawQuery = split === -1 ? "" : url.slice(split + 1);
    this.params = request.params as Record<string, string>;
    this.headers = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    this.serialize = serialize;
  }
  get ip() {
    return this.#request.ip;
  }
}

function refusal(problem: Problem, requestId: string): PipelineAnswer {
  const answer: PipelineAnswer = { status: problem.status, body: errorBody(problem, requestId) };
  return problem.details.headers ? { ...answer, headers: problem.details.headers } : answer;
}

/** 405 with the methods that the path takes, or 404. */
function unknownPath(
  pipeline: Pipeline,
  plainRoutes: readonly PlainRoute[],
  exchange: Exchange,
): Problem {
  const methods = pipeline.routes
    .filter((route) => pathMatches(route.spec.path, exchange.path))
    .map((route) => route.spec.method as string);
  if (plainRoutes.some((plain) => plain.path === exchange.path)) methods.push("GET");
  // A method the path takes, and still no route: the path has a part that cannot be an id.
  if (methods.length === 0 || methods.includes(exchange.request.method ?? "")) {
    return new Problem("not_found", "There is nothing at this path.");
  }
  const allow = [...new Set(methods)].sort((a, b) => (a < b ? -1 : 1)).join(", ");
  return new Problem("method_not_allowed", `This path takes ${allow}.`, { headers: { allow } });
}

function pathMatches(template: string, path: string): boolean {
  const wanted = template.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every(
      (part, index) => part === given[index] || (part.startsWith("{") && given[index] !== ""),
    )
  );
}
