import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Problem, type RouteSpec } from "@longwave/contract";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Log } from "../platform/log.ts";
import type { CompiledRoute, Exchange, Pipeline, PipelineAnswer } from "./pipeline.ts";
import { checkHeaders } from "./pipeline.ts";
import { errorBody, problemFrom } from "./reply.ts";

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const CONNECTIONS_CHECKED_EVERY_MS = 5_000;
const REQUESTS_PER_SOCKET_MAX = 1_000;
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

/** Turns the route table into listeners. The only file that knows Fastify. */
export function createHttpServer(options: {
  pipeline: Pipeline;
  plainRoutes: readonly PlainRoute[];
  makeRequestId: () => string;
  log: Log;
}): FastifyInstance {
  const { pipeline, log, makeRequestId } = options;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET_MAX,
    forceCloseConnections: "idle",
    // While stopping, a request that still arrives on an open connection is answered as any other.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX, caseSensitive: true },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
    frameworkErrors: (error, request, reply) => {
      const requestId = makeRequestId();
      send(
        reply,
        refusal(
          new Problem("invalid_request", `The request line is not valid: ${error.message}`),
          requestId,
        ),
        {
          "x-request-id": requestId,
        },
      );
      return request;
    },
  });
  // Headers beyond the limit must be seen to be refused; Node would drop them in silence.
  app.server.maxHeadersCount = 0;
  askToClose(app);
  // The pipeline reads bodies itself, after it knows who is asking.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  for (const route of pipeline.routes) addRoute(app, route, options);
  for (const plain of options.plainRoutes) addPlainRoute(app, plain);
  app.setNotFoundHandler(async (request, reply) => {
    const exchange = exchangeOf(request, makeRequestId());
    try {
      checkTarget(exchange.request);
      await admit(pipeline, exchange);
      throw unknownPath(pipeline, options.plainRoutes, exchange);
    } catch (error) {
      const problem = problemFrom(error, log, exchange.requestId);
      return send(reply, refusal(problem, exchange.requestId), exchange.headers);
    }
  });
  return app;
}

function addRoute(
  app: FastifyInstance,
  route: CompiledRoute,
  options: { pipeline: Pipeline; makeRequestId: () => string; log: Log },
): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const exchange = exchangeOf(request, options.makeRequestId());
    let answer: PipelineAnswer;
    try {
      checkTarget(exchange.request);
      answer = await options.pipeline.handle(route, exchange);
    } catch (error) {
      const problem = problemFrom(error, options.log, exchange.requestId);
      answer = refusal(problem, exchange.requestId);
    }
    return send(reply, answer, exchange.headers);
  };
  app.route({
    method: route.spec.method,
    url: route.spec.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    schema: route.spec.streams ? {} : { response: serializable(route.spec.answers) },
    handler,
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

function addPlainRoute(app: FastifyInstance, plain: PlainRoute): void {
  app.get(plain.path, async (_request, reply) => {
    const { status, type, body, headers } = await plain.answer();
    return reply
      .code(status)
      .headers(headers ?? {})
      .type(type)
      .send(body);
  });
}

async function admit(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  if (isUnder(exchange.path, "/v1")) await pipeline.admitUnknown(exchange, false);
  else if (isUnder(exchange.path, "/operator/v1")) await pipeline.admitUnknown(exchange, true);
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** Proxy-style targets (`GET http://other/…`) reach the handler in Node; we serve only our own. */
function checkTarget(request: IncomingMessage): void {
  checkHeaders(request);
  if (!request.url?.startsWith("/")) {
    throw new Problem("invalid_request", "Ask for a path, not for a whole address.");
  }
}

function exchangeOf(request: FastifyRequest, requestId: string): Exchange {
  const url = request.raw.url ?? "/";
  const split = url.indexOf("?");
  return {
    request: request.raw,
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
  if (answer.text !== undefined) {
    return reply.type("application/json; charset=utf-8").send(answer.text);
  }
  if (answer.body instanceof Readable) return reply.send(answer.body);
  return reply.type("application/json; charset=utf-8").send(answer.body);
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
  if (methods.length === 0) return new Problem("not_found", "There is nothing at this path.");
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
