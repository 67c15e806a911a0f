import { Problem, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { apiKey, type KeyFinder, operatorToken, type Way } from "./admission.ts";
import { type TurnKind, turnKindOf } from "./in-turn.ts";
import {
  compileBody,
  compileSchema,
  nullRuleOf,
  type Validate,
  type ValidateBody,
} from "./validate.ts";

/** A part of the paths, who may enter it, and what is said to everybody else. */
export interface Entrance {
  readonly base: string;
  /** Tried in this order; the first that knows the caller decides. */
  readonly ways: readonly Way[];
  readonly refusal: () => Problem;
  readonly routes: readonly CompiledRoute[];
}

export interface CompiledRoute {
  readonly name: RouteName;
  readonly spec: RouteSpec;
  /** Where this entrance has the route. */
  readonly path: string;
  readonly turnKind: TurnKind | null;
  readonly validateQuery: Validate | null;
  readonly validateBody: ValidateBody | null;
}

const API_BASE = "/v1";
const OPERATOR_BASE = "/operator/v1";

/** The API as its customers' programs use it, with a key. */
export function apiEntrance(keys: KeyFinder): Entrance {
  return {
    base: API_BASE,
    ways: [apiKey(keys)],
    refusal: () =>
      unauthorized(
        "The API key is missing, malformed, revoked or unknown. Send a valid one: Authorization: Bearer svc_sk_test_… (or svc_sk_live_…).",
      ),
    routes: routesAt(API_BASE),
  };
}

/** What whoever runs the installation may do, with the operator's token. */
export function operatorEntrance(token: string): Entrance {
  return {
    base: OPERATOR_BASE,
    ways: [operatorToken(token)],
    refusal: () =>
      unauthorized("The operator token is missing or wrong. Send it: Authorization: Bearer …."),
    routes: routesAt(OPERATOR_BASE),
  };
}

/**
 * The routes of the table below one base, mounted there or elsewhere: the same routes may be
 * entered in more than one way.
 */
export function routesAt(base: string, mountedAt: string = base): CompiledRoute[] {
  return (Object.entries(routes) as [RouteName, RouteSpec][])
    .filter(([, spec]) => spec.path.startsWith(`${base}/`))
    .map(([name, spec]) => ({
      name,
      spec,
      path: mountedAt + spec.path.slice(base.length),
      turnKind: turnKindOf(spec),
      validateQuery: spec.query ? compileSchema(spec.query, "query") : null,
      validateBody: spec.body ? compileBody(spec.body, nullRuleOf(spec)) : null,
    }));
}

/** The same answer for every way of not being known, so that none can be told from another. */
function unauthorized(message: string): Problem {
  return new Problem("invalid_api_key", message, { headers: { "www-authenticate": "Bearer" } });
}
