import {
  Problem,
  ROUTE_ROLES,
  type RouteInput,
  type RouteName,
  roleAllows,
} from "@longwave/contract";
import type { UserPrincipal } from "../../http/api/caller.ts";
import { checkAccount } from "../../http/auth/admission.ts";
import { type CompiledRoute, routesAt } from "../../http/server/mounts.ts";
import { principalOf } from "./mounts.ts";
import type { SessionRequest } from "./own-routes.ts";
import type { Session } from "./sessions.ts";

const ROUTES: ReadonlyMap<RouteName, CompiledRoute> = new Map(
  routesAt("/v1").map((route) => [route.name, route]),
);

/** Reads by the API's own routes, as the person who asks: several of them for one call of the console. */
export interface AsUser {
  readonly caller: UserPrincipal;
  /** What the route answers; null where there is nothing, or where the person's role does not reach. */
  read<N extends RouteName>(name: N, input: Partial<RouteInput<N>>): Promise<Found | null>;
}

/** An answer's body: what a page shows of it differs by its kind. */
// biome-ignore lint/suspicious/noExplicitAny: read as a client reads it
export type Found = any;

export function asUser(
  { deps, exchange, params }: SessionRequest<unknown>,
  session: Session,
): AsUser {
  const caller = principalOf(deps, session, params);
  checkAccount(caller);
  const read = async (name: RouteName, input: object): Promise<Found | null> => {
    const needed = ROUTE_ROLES[name];
    const route = ROUTES.get(name);
    if (!route || needed === "operator" || !roleAllows(caller.role, needed)) return null;
    try {
      const given = { params: {}, query: {}, body: undefined, ...input };
      const made = { input: given, idempotencyKey: null };
      const { body, text } = await deps.calls.call(route, exchange, caller, made);
      return text === undefined ? body : JSON.parse(text);
    } catch (error) {
      if (error instanceof Problem && error.code === "not_found") return null;
      throw error;
    }
  };
  return { caller, read };
}
