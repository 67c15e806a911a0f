import { Problem, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import {
  type Authenticator,
  apiKey,
  type KeyFinder,
  type OperatorTokenFinder,
  operatorToken,
} from "../auth/admission.ts";
import {
  compileBody,
  compileSchema,
  nullRuleOf,
  prepareSchema,
  type Validate,
  type ValidateBody,
} from "../body/validate.ts";
import { prepareSerialize } from "../exchange/serializers.ts";
import { type LimitKind, limitKindOf } from "../limits/concurrency-limits.ts";

/** A path prefix, its authentication, and its refusals. */
export interface Mount {
  readonly base: string;
  /** Tried in this order; the first that identifies the caller decides. */
  readonly authenticators: readonly Authenticator[];
  readonly refusal: () => Problem;
  readonly routes: readonly CompiledRoute[];
}

export interface CompiledRoute {
  readonly name: RouteName;
  readonly spec: RouteSpec;
  /** Path of the route below this mount. */
  readonly path: string;
  readonly limitKind: LimitKind | null;
  readonly validateQuery: Validate | null;
  readonly validateBody: ValidateBody | null;
}

const API_BASE = "/v1";
export const CONSOLE_BASE = "/console/v1";
/** The only console calls that take a key; all others need a session. */
const CONSOLE_IMPORTS = `${CONSOLE_BASE}/imports`;
const OPERATOR_BASE = "/operator/v1";

/** The API for customers' programs, with an API key. */
export function apiMount(keys: KeyFinder): Mount {
  return {
    base: API_BASE,
    authenticators: [apiKey(keys)],
    refusal: () =>
      unauthorized(
        "The API key is missing, malformed, revoked or unknown. Send a valid one: Authorization: Bearer svc_sk_test_… (or svc_sk_live_…).",
      ),
    routes: routesAt(API_BASE),
  };
}

/** The console's own routes for the command line, with an API key of full access. */
export function consoleKeyMount(keys: KeyFinder): Mount {
  return { ...apiMount(keys), base: CONSOLE_IMPORTS, routes: routesAt(CONSOLE_BASE) };
}

/** The operator API, with an operator token. */
export function operatorMount(token: string, named: OperatorTokenFinder): Mount {
  return {
    base: OPERATOR_BASE,
    authenticators: [operatorToken(token, named)],
    refusal: () =>
      unauthorized("The operator token is missing or wrong. Send it: Authorization: Bearer …."),
    routes: routesAt(OPERATOR_BASE),
  };
}

/** The routes of the table below one base, mounted there or elsewhere: several mounts may share routes. */
export function routesAt(base: string, mountedAt: string = base): CompiledRoute[] {
  return (Object.entries(routes) as [RouteName, RouteSpec][])
    .filter(([, spec]) => spec.path.startsWith(`${base}/`))
    .map(([name, spec]) => ({
      name,
      spec,
      path: mountedAt + spec.path.slice(base.length),
      limitKind: limitKindOf(spec),
      validateQuery: spec.query ? compileSchema(spec.query, "query") : null,
      validateBody: spec.body ? compileBody(spec.body, nullRuleOf(spec)) : null,
    }));
}

/** Compiles the validators and serialisers of a route ahead of its first request. */
export function prepareRoute(name: RouteName): void {
  const { query, body, answers }: RouteSpec = routes[name];
  if (query) prepareSchema(query);
  if (body) prepareSchema(body);
  prepareSerialize(answers);
}

/** One answer for every failed authentication, so that clients cannot tell the causes apart. */
function unauthorized(message: string): Problem {
  return new Problem("invalid_api_key", message, { headers: { "www-authenticate": "Bearer" } });
}
