import { type IncomingMessage, METHODS } from "node:http";
import { Readable } from "node:stream";
import { Problem, type RouteSpec } from "@longwave/contract";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Log } from "../platform/log.ts";
import { checkRequest } from "./check-request.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  guardConnections,
  refuseUnreadable,
} from "./connections.ts";
import type { CompiledRoute, Exchange, Pipeline, PipelineAnswer } from "./pipeline.ts";
import { discardRest } from "./read-body.ts";
import { errorBody, problemFrom } from "./reply.ts";

const HEADER_BYTES_MAX = 16_384;
const PARAM_CHARS_MAX = 200;

/** A page or file outside the API: health, metrics, the reference, the OpenAPI document. */
export interface PlainRoute {
  readonly path: string;
  answer(): Promise<{
    status: number;
    type: string;
    body: string | Buffer;
    headers?: Record<string, string>;
  }>;
}

export interface HttpServerOptions {
  readonly pipeline: Pipeline;
  readonly plainRoutes: readonly PlainRoute[];
  readonly makeRequestId: () => string;
  readonly log: Log;
  readonly limits?: Partial<ConnectionLimits>;
}

type Respond = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (exchange: Exchange) => Promise<PipelineAnswer>,
) => Promise<FastifyReply>;

/** Turns the route table into listeners. The only file that knows Fastify. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { pipeline, log, makeRequestId } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const respond: Respond = async (request, reply, work) => {
    const exchange = exchangeOf(request, reply, makeRequestId());
    let answer: PipelineAnswer;
    try {
      checkRequest(exchange.request);
      answer = await work(exchange);
    } catch (error) {
      answer = refusal(problemFrom(error, log, exchange.requestId), exchange.requestId);
    }
    discardRest(exchange.request);
    return send(reply, answer, exchange.headers);
  };
  const answerUnknown = (request: FastifyRequest, reply: FastifyReply) =>
    respond(request, reply, async (exchange) => {
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
    frameworkErrors: (_error, request, reply) => void answerUnknown(request, reply),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, makeRequestId()),
  });
  prepareServer(app, limits);
  for (const route of pipeline.routes) addRoute(app, route, pipeline, respond);
  for (const plain of options.plainRoutes) addPlainRoute(app, plain, respond);
  app.setNotFoundHandler(answerUnknown);
  // What fails after the pipeline, such as an answer that does not fit its schema.
  app.setErrorHandler((error, _request, reply) => {
    const requestId = String(reply.getHeader("x-request-id") ?? makeRequestId());
    return send(reply, refusal(problemFrom(error, log, requestId), requestId), {
      "x-request-id": requestId,
    });
  });
  return app;
}

function prepareServer(app: FastifyInstance, limits: ConnectionLimits): void {
  // Headers beyond the limit must be seen to be refused; Node would drop them in silence.
  app.server.maxHeadersCount = 0;
  // Node would answer 417 without a body; an expectation we do not know may be ignored.
  app.server.on("checkExpectation", (request, response) => {
    app.server.emit("request", request, response);
  });
  guardConnections(app.server, limits);
  askToClose(app);
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
  respond: Respond,
): void {
  app.route({
    method: route.spec.method,
    url: route.spec.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    schema: route.spec.streams ? {} : { response: serializable(route.spec.answers) },
    handler: (request, reply) =>
      respond(request, reply, (exchange) => pipeline.handle(route, exchange)),
  });
}

/** Answers given while stopping end their connection: a stop waits for none that is kept alive. */
function askToClose(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook("preClose", (done) => {
    isStopping = true;
    done();
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (isStopping) reply.header("connection", "close");
    done();
  });
}

/**
 * The answers' schemas for Fastify's serialisers. Names are left out, because one schema may stand
 * in another twice; an answer of one of two shapes is left to JSON.stringify, because telling them
 * apart costs more than it saves.
 */
function serializable(answers: RouteSpec["answers"]): Record<string, unknown> {
  const schemas = Object.entries(answers).filter(([, schema]) => !("anyOf" in schema));
  return JSON.parse(
    JSON.stringify(Object.fromEntries(schemas), (key, value) =>
      key === "$id" ? undefined : value,
    ),
  ) as Record<string, unknown>;
}

function addPlainRoute(app: FastifyInstance, plain: PlainRoute, respond: Respond): void {
  app.get(plain.path, (request, reply) =>
    respond(request, reply, async () => {
      const { status, type, body, headers } = await plain.answer();
      return { status, body: null, raw: body, headers: { ...headers, "content-type": type } };
    }),
  );
}

async function admit(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  if (isUnder(exchange.path, "/v1")) await pipeline.admitUnknown(exchange, false);
  else if (isUnder(exchange.path, "/operator/v1")) await pipeline.admitUnknown(exchange, true);
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply, requestId: string): Exchange {
  const url = request.raw.url ?? "/";
  const split = url.indexOf("?");
  return {
    request: request.raw as IncomingMessage,
    requestId,
    ip: request.ip,
    path: split === -1 ? url : url.slice(0, split),
    rawQuery: split === -1 ? "" : url.slice(split + 1),
    params: request.params as Record<string, string>,
    headers: {
      "x-request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    serialize: (status, body) =>
      (reply.getSerializationFunction(String(status)) ?? JSON.stringify)(body as object),
  };
}

function refusal(problem: Problem, requestId: string): PipelineAnswer {
  const answer: PipelineAnswer = { status: problem.status, body: errorBody(problem, requestId) };
  return problem.details.headers ? { ...answer, headers: problem.details.headers } : answer;
}

function send(
  reply: FastifyReply,
  answer: PipelineAnswer,
  headers: Record<string, string>,
): FastifyReply {
  reply.code(answer.status).headers(headers);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.raw !== undefined) return reply.send(answer.raw);
  if (answer.body instanceof Readable) return reply.send(answer.body);
  reply.type("application/json; charset=utf-8");
  return reply.send(answer.text ?? answer.body);
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
