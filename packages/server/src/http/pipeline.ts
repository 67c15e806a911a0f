import type { IncomingMessage } from "node:http";
import {
  BODY_BYTES_MAX,
  Problem,
  type RouteName,
  type RouteSpec,
  routes,
} from "@longwave/contract";
import type { Caller } from "../accounts/account-row.ts";
import type { Deps } from "../deps.ts";
import { authenticate, authenticateOperator } from "./authenticate.ts";
import { checkAccount, checkRoute } from "./authorize.ts";
import type { AnyAnswer, Context, Handlers } from "./context.ts";
import {
  AlreadyClaimed,
  claimOf,
  findEarlier,
  type IdempotencyClaim,
  inProgress,
  transactOnce,
} from "./idempotency.ts";
import { parseQuery } from "./query.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { checkContentType, hasBody, readBody, tokensMaxOf } from "./read-body.ts";
import { parseStrictJson } from "./strict-json.ts";
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
}

/** An answer: an object to serialise, or text that is JSON already (a replay). */
export type PipelineAnswer = AnyAnswer & { readonly text?: string };

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

export function createPipeline(
  deps: Deps,
  handlers: Handlers,
  limiter: RateLimiter,
  operatorToken: string,
): Pipeline {
  const identify = (route: RouteScopeLike, exchange: Exchange): Caller | Promise<Caller> => {
    checkHeaders(exchange.request);
    if (route.scope === "operator") {
      authenticateOperator(operatorToken, exchange.request);
      return { kind: "operator" };
    }
    return authenticate(deps, exchange.request);
  };

  return {
    routes: compileRoutes(),
    async admitUnknown(exchange, isOperatorPath) {
      const found = identify({ scope: isOperatorPath ? "operator" : "any_key" }, exchange);
      const caller = found instanceof Promise ? await found : found;
      if (caller.kind === "key") checkAccount(caller);
    },
    async handle(route, exchange) {
      const found = identify(route.spec, exchange);
      const caller = found instanceof Promise ? await found : found;
      if (caller.kind === "key") {
        checkAccount(caller);
        checkRoute(caller, route.spec);
        const taken = limiter.take(caller);
        const rate = taken instanceof Promise ? await taken : taken;
        if (rate !== null) Object.assign(exchange.headers, rate.headers);
      }
      const body = await bodyOf(route, exchange.request);
      const query = queryOf(route, exchange.rawQuery);
      const claim =
        route.spec.method === "POST"
          ? claimOf(exchange.request, caller, exchange.path, body, route.spec.secretAnswer === true)
          : null;
      const handler = handlers[route.name] as unknown as AnyHandler;
      const input = { params: exchange.params, query, body };
      if (!claim) return handler(contextOf(deps, caller, exchange, null), input);
      return handleOnce(deps, claim, () =>
        handler(contextOf(deps, caller, exchange, claim), input),
      );
    },
  };
}

type RouteScopeLike = Pick<RouteSpec, "scope">;
type AnyHandler = (
  context: Context<Caller>,
  input: { params: unknown; query: unknown; body: unknown },
) => Promise<AnyAnswer>;

/** Replays what the key has done before, or does it, or replays what another did meanwhile. */
async function handleOnce(
  deps: Deps,
  claim: IdempotencyClaim,
  work: () => Promise<AnyAnswer>,
): Promise<PipelineAnswer> {
  const earlier = await findEarlier(deps, claim);
  if (earlier?.answer) return replay(earlier.answer);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AlreadyClaimed)) throw error;
    const other = await findEarlier(deps, claim);
    if (other?.answer) return replay(other.answer);
    throw inProgress();
  }
}

function replay(answer: { status: number; body: string }): PipelineAnswer {
  return {
    status: answer.status,
    body: null,
    text: answer.body,
    headers: { "idempotent-replayed": "true" },
  };
}

function contextOf(
  deps: Deps,
  caller: Caller,
  exchange: Exchange,
  claim: IdempotencyClaim | null,
): Context<Caller> {
  return {
    deps,
    caller,
    requestId: exchange.requestId,
    ip: exchange.ip,
    claim,
    transact: (work) => transactOnce(deps, claim, work),
  };
}

const HEADERS_MAX = 100;

/** What Node lets through and we do not: repeated credentials or hosts, and floods of headers. */
export function checkHeaders(request: IncomingMessage): void {
  const raw = request.rawHeaders;
  if (raw.length > HEADERS_MAX * 2) {
    throw new Problem("headers_too_large", `Send at most ${HEADERS_MAX} headers.`);
  }
  let authorizations = 0;
  let hosts = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    if (name.length === 13 && name.toLowerCase() === "authorization") authorizations += 1;
    else if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (authorizations > 1) throw repeated("Authorization");
  if (hosts > 1) throw repeated("Host");
}

function repeated(name: string): Problem {
  return new Problem("invalid_request", `Send one ${name} header, not several.`, { param: name });
}

async function bodyOf(route: CompiledRoute, request: IncomingMessage): Promise<unknown> {
  const { spec, validateBody } = route;
  if (!hasBody(request)) {
    if (!validateBody || spec.bodyOptional) return undefined;
    checkContentType(request);
    throw new Problem("invalid_request", "This call needs a JSON body.");
  }
  if (spec.method === "GET" || spec.method === "DELETE") {
    throw new Problem("invalid_request", `${spec.method} takes no body.`, {
      headers: { connection: "close" },
    });
  }
  checkContentType(request);
  const bytes = await readBody(request, spec.bodyBytesMax ?? BODY_BYTES_MAX);
  const value = parseStrictJson(bytes, tokensMaxOf(spec));
  if (!validateBody || !spec.body) {
    if (isEmptyObject(value)) return undefined;
    throw new Problem("invalid_request", "This call takes no fields in its body.");
  }
  if (!spec.nullClears) dropNulls(spec.body, value);
  validateBody(value);
  return value;
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}

function queryOf(route: CompiledRoute, rawQuery: string): unknown {
  const query = parseQuery(rawQuery, route.spec.query);
  if (route.validateQuery) {
    route.validateQuery(query);
    return query;
  }
  const [unknown] = Object.keys(query);
  if (unknown !== undefined) {
    throw new Problem("invalid_request", `${unknown} is not a parameter of this call.`, {
      param: unknown,
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
