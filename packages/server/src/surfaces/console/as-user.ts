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

/** Calls API read routes as the signed-in person; one console call may combine several. */
export interface AsUser {
  readonly caller: UserPrincipal;
  /** The route's answer; null if the object does not exist or the person's role may not read it. */
  read<N extends RouteName>(name: N, input: Partial<RouteInput<N>>): Promise<Found | null>;
}

/** Body of an answer. Its fields depend on the kind of object. */
// biome-ignore lint/suspicious/noExplicitAny: read like a client reads an answer
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
