import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import {
  BODY_BYTES_MAX,
  Problem,
  type RouteName,
  type RouteScope,
  type RouteSpec,
  routes,
} from "@longwave/contract";
import type { Caller, Principal } from "../api/caller.ts";
import type { AnyAnswer, Context, Handlers, PipelineAnswer } from "../api/handler.ts";
import type { Base } from "../base.ts";
import {
  type ClaimOwner,
  claimOf,
  handleOnce,
  type OnceContext,
  OPERATOR_OWNER,
} from "../idempotency/index.ts";
import type { KeysDeps } from "../keys/deps.ts";
import { authenticate, authenticateOperator } from "./authenticate.ts";
import { checkAccount, checkRoute } from "./authorize.ts";
import { parseQuery } from "./query.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { checkContentType, hasBody, readBody, tokensMaxOf } from "./read-body.ts";
import { parseStrictJson, shownName } from "./strict-json.ts";
import { compileSchema, dropNulls, type Validate } from "./validate.ts";

/** One request as the HTTP adapter hands it over. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly ip: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly params: Readonly<Record<string, string>>;
  /** Headers of the answer, whatever it will be. */
  readonly headers: Record<string, string>;
  /** The text of an answer's body, exactly as it is sent. */
  readonly serialize: (status: number, body: unknown) => string;
  /** Who asks, once that is known. */
  caller: Caller | null;
}

export interface CompiledRoute {
  readonly name: RouteName;
  readonly spec: RouteSpec;
  readonly validateQuery: Validate | null;
  readonly validateBody: Validate | null;
}

export interface Pipeline {
  readonly routes: readonly CompiledRoute[];
  /** The life of one request, in order; throws a Problem for every refusal. */
  handle(route: CompiledRoute, exchange: Exchange): Promise<PipelineAnswer>;
  /** The refusals that come before "there is no such path". */
  admitUnknown(exchange: Exchange, isOperatorPath: boolean): Promise<void>;
}

export function createPipeline<D extends KeysDeps>(
  deps: D,
  handlers: Handlers<D>,
  limiter: RateLimiter,
  operatorToken: string,
): Pipeline {
  const identify = (scope: RouteScope, exchange: Exchange): Caller | Promise<Caller> => {
    if (scope !== "operator") return authenticate(deps, exchange.request);
    authenticateOperator(operatorToken, exchange.request);
    return { kind: "operator" };
  };
  /** The refusals by account and, for a path that exists, by scope. */
  const authorize = (caller: Principal, spec: RouteSpec | null, exchange: Exchange): void => {
    try {
      checkAccount(caller);
      if (spec) checkRoute(caller, spec);
      else Object.assign(exchange.headers, limiter.show(caller));
    } catch (error) {
      Object.assign(exchange.headers, limiter.show(caller));
      throw error;
    }
  };

  return {
    routes: compileRoutes(),
    async admitUnknown(exchange, isOperatorPath) {
      const found = identify(isOperatorPath ? "operator" : "any_key", exchange);
      const caller = found instanceof Promise ? await found : found;
      exchange.caller = caller;
      if (caller.kind === "key") authorize(caller, null, exchange);
    },
    async handle(route, exchange) {
      const found = identify(route.spec.scope, exchange);
      const caller = found instanceof Promise ? await found : found;
      exchange.caller = caller;
      if (caller.kind === "key") {
        authorize(caller, route.spec, exchange);
        const taking = limiter.take(caller);
        const taken = taking instanceof Promise ? await taking : taking;
        if (taken !== null) Object.assign(exchange.headers, taken);
      }
      const body = await bodyOf(route, exchange.request);
      const query = queryOf(route, exchange.rawQuery);
      const claim =
        route.spec.method === "POST"
          ? claimOf(
              exchange.request.headers["idempotency-key"],
              ownerOf(caller),
              { method: route.spec.method, path: exchange.path, body },
              route.spec.secretAnswer === true,
            )
          : null;
      const handler = handlers[route.name] as unknown as AnyHandler<D>;
      const input = { params: exchange.params, query, body };
      if (!claim) return handler(new RequestContext(deps, caller, exchange, null), input);
      return handleOnce({ deps, claim, serialize: exchange.serialize }, (once) =>
        handler(new RequestContext(deps, caller, exchange, once), input),
      );
    },
  };
}

function ownerOf(caller: Caller): ClaimOwner {
  if (caller.kind === "operator") return OPERATOR_OWNER;
  return { shard: caller.account.shard, accountId: caller.account.id, mode: caller.mode };
}

type AnyHandler<D> = (
  context: Context<Caller, D>,
  input: { params: unknown; query: unknown; body: unknown },
) => Promise<AnyAnswer>;

/**
 * What a handler is given. A class, because this is made for every request: what a getter gives is
 * made only for those who ask.
 */
class RequestContext<D extends Base> implements Context<Caller, D> {
  readonly deps: D;
  readonly caller: Caller;
  readonly #exchange: Exchange;
  readonly #once: OnceContext | null;

  constructor(deps: D, caller: Caller, exchange: Exchange, once: OnceContext | null) {
    this.deps = deps;
    this.caller = caller;
    this.#exchange = exchange;
    this.#once = once;
  }
  get requestId() {
    return this.#exchange.requestId;
  }
  get ip() {
    return this.#exchange.ip;
  }
  get serialize() {
    return this.#exchange.serialize;
  }
  get claim() {
    return this.#once ? this.#once.takeOver() : null;
  }
  get onGone(): Context<Caller>["onGone"] {
    const { socket } = this.#exchange.request;
    return (hear) => onClose(socket, hear);
  }
  get transact(): Context<Caller>["transact"] {
    const { deps } = this;
    return this.#once ? this.#once.transact : (work) => deps.db.tx(work);
  }
}

function onClose(socket: Socket, hear: () => void): () => void {
  socket.once("close", hear);
  // Gone before anybody listened: the event will not come again.
  if (socket.destroyed) queueMicrotask(hear);
  return () => socket.off("close", hear);
}

async function bodyOf(route: CompiledRoute, request: IncomingMessage): Promise<unknown> {
  const { spec, validateBody } = route;
  const bytes = await bytesOf(spec, validateBody === null || spec.bodyOptional === true, request);
  if (bytes === null) return undefined;
  const value = parseStrictJson(bytes, tokensMaxOf(spec));
  if (!validateBody || !spec.body) return refuseFields(value);
  if (!spec.nullClears) dropNulls(spec.body, value);
  validateBody(value);
  return value;
}

async function bytesOf(
  spec: RouteSpec,
  isOptional: boolean,
  request: IncomingMessage,
): Promise<Buffer | null> {
  if (!hasBody(request)) {
    if (isOptional) return null;
    if (request.headers["content-type"] !== undefined) checkContentType(request);
    throw new Problem("invalid_request", "This call needs a JSON body.");
  }
  if (spec.method === "GET" || spec.method === "DELETE") {
    throw new Problem("invalid_request", `${spec.method} takes no body.`);
  }
  if (!isOptional) checkContentType(request);
  const bytes = await readBody(request, spec.bodyBytesMax ?? BODY_BYTES_MAX);
  // A chunked body may turn out to be empty, and then its type does not matter.
  if (isOptional && bytes.length === 0) return null;
  if (isOptional) checkContentType(request);
  return bytes;
}

/** Lets an empty object pass where a call takes no body. */
function refuseFields(value: unknown): undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const [field] = isObject ? Object.keys(value) : [];
  if (isObject && field === undefined) return undefined;
  throw new Problem("invalid_request", "This call takes no fields in its body.", {
    ...(field === undefined ? {} : { param: shownName(field) }),
  });
}

function queryOf(route: CompiledRoute, rawQuery: string): unknown {
  const query = parseQuery(rawQuery, route.spec.query);
  if (route.validateQuery) {
    route.validateQuery(query);
    return query;
  }
  const [unknown] = Object.keys(query);
  if (unknown !== undefined) {
    const name = shownName(unknown);
    throw new Problem("invalid_request", `${name} is not a parameter of this call.`, {
      param: name,
    });
  }
  return undefined;
}

function compileRoutes(): CompiledRoute[] {
  return (Object.entries(routes) as [RouteName, RouteSpec][]).map(([name, spec]) => ({
    name,
    spec,
    validateQuery: spec.query ? compileSchema(spec.query) : null,
    validateBody: spec.body ? compileSchema(spec.body) : null,
  }));
}
