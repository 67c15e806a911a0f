import {
  CONFIRMED_MINUTES,
  CONSOLE_ROLES,
  type ConsoleAction,
  type Mode,
  Problem,
  type RouteName,
  roleAllows,
} from "@longwave/contract";
import { fromApiId } from "../../core/platform/ids.ts";
import type { Caller, UserPrincipal } from "../../http/api/caller.ts";
import { confirmationRequired } from "../../http/api/check-role.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { type CompiledRoute, type Mount, routesAt } from "../../http/server/mounts.ts";
import { type ConsoleDeps, sessionOf, sessionRequired } from "./own-routes.ts";
import { takeCall } from "./session-request.ts";
import type { Membership, Session } from "./sessions.ts";
import { findKeyAccount } from "./sql.ts";

const CONSOLE_BASE = "/console/v1";
const MINUTE_MS = 60_000;

/**
 * The API's own routes a second time, for people: the same validation, idempotency and handlers, and
 * a session where programs have a key.
 */
export function consoleMounts(deps: ConsoleDeps): Mount[] {
  const refusal = sessionRequired;
  return [
    {
      base: `${CONSOLE_BASE}/operator`,
      authenticators: [operatorWay(deps)],
      refusal,
      routes: routesAt("/operator/v1", `${CONSOLE_BASE}/operator`),
    },
    { base: `${CONSOLE_BASE}/keys`, authenticators: [keysWay(deps)], refusal, routes: keyRoutes() },
    {
      base: CONSOLE_BASE,
      authenticators: [accountWay(deps)],
      refusal,
      routes: routesAt("/v1", `${CONSOLE_BASE}/{account}/{mode}`),
    },
  ];
}

async function sessionIn(deps: ConsoleDeps, exchange: Exchange): Promise<Session | null> {
  takeCall(deps, exchange);
  return sessionOf(deps, exchange);
}

/** Somebody in one of their accounts, as the path names it. */
function accountWay(deps: ConsoleDeps) {
  return async (exchange: Exchange): Promise<Caller | null> => {
    const session = await sessionIn(deps, exchange);
    return session ? principalOf(deps, session, exchange.params) : null;
  };
}

export function principalOf(
  deps: ConsoleDeps,
  session: Session,
  { account: id = "", mode }: Exchange["params"],
): UserPrincipal {
  const { role, account, isVisit } = membershipOf(session, id);
  const place = { role, account, isVisit, mode: modeOf(mode), scopes: null };
  return { kind: "user", ...personOf(deps, session), ...place };
}

function operatorWay(deps: ConsoleDeps) {
  return async (exchange: Exchange): Promise<Caller | null> => {
    const session = await sessionIn(deps, exchange);
    if (!session) return null;
    if (!session.isOperator) throw roleMissing("operator");
    return { kind: "operator", user: personOf(deps, session) };
  };
}

/** What an admin does with the account's keys is what the operator does with them. */
const KEY_ROUTES: Readonly<Partial<Record<RouteName, { path: string; action: ConsoleAction }>>> = {
  "operator.keys.list": { path: "/{id}/keys", action: "keys.list" },
  "operator.keys.create": { path: "/{id}/keys", action: "keys.create" },
  "operator.keys.roll": { path: "/{account}/keys/{id}/roll", action: "keys.roll" },
  "operator.keys.delete": { path: "/{account}/keys/{id}", action: "keys.delete" },
};

function keyRoutes(): CompiledRoute[] {
  return routesAt("/operator/v1").flatMap((route) => {
    const mounted = KEY_ROUTES[route.name];
    return mounted ? [{ ...route, path: CONSOLE_BASE + mounted.path }] : [];
  });
}

function keysWay(deps: ConsoleDeps) {
  return async (exchange: Exchange): Promise<Caller | null> => {
    const session = await sessionIn(deps, exchange);
    if (!session) return null;
    const { id = "" } = exchange.params;
    // Lists and new keys name the account as {id}; one key's own paths name it as {account}.
    const ofOneKey = Object.hasOwn(exchange.params, "account");
    const { account = id } = exchange.params;
    const membership = membershipOf(session, account);
    checkAction(membership, exchange.request.method === "GET" ? "keys.list" : "keys.create");
    if (ofOneKey) await checkKeyOf(deps, membership, id);
    return { kind: "operator", user: personOf(deps, session) };
  };
}

async function checkKeyOf(deps: ConsoleDeps, { account }: Membership, id: string): Promise<void> {
  const uuid = fromApiId("api_key", id);
  const [row] = uuid ? await deps.db.query<{ account_id: string }>(findKeyAccount, [uuid]) : [];
  if (row?.account_id !== account.id)
    throw new Problem("not_found", `There is no key ${id.slice(0, 64)}.`);
}

function personOf(deps: ConsoleDeps, session: Session) {
  const { userId, name, email } = session;
  return { userId, userName: name ?? email, isConfirmed: isConfirmed(deps.clock, session) };
}

/** The person's place in the account, or 404: whether it exists is nobody else's business. */
export function membershipOf(session: Session, id: string): Membership {
  const uuid = fromApiId("account", id);
  const found = session.memberships.find(({ account }) => account.id === uuid);
  if (!found) throw nothingHere();
  return found;
}

export function modeOf(mode: string | undefined): Mode {
  if (mode === "test" || mode === "live") return mode;
  throw new Problem("not_found", "The mode is test or live.");
}

export function checkAction(membership: Membership, action: ConsoleAction): void {
  const needed = CONSOLE_ROLES[action];
  if (!roleAllows(membership.role, needed)) throw roleMissing(needed);
}

/** For what takes more than an open session. */
export function checkConfirmed(deps: ConsoleDeps, session: Session): void {
  if (!isConfirmed(deps.clock, session)) throw confirmationRequired();
}

function isConfirmed(clock: ConsoleDeps["clock"], { confirmedAtMs }: Session): boolean {
  return clock.now() - confirmedAtMs < CONFIRMED_MINUTES * MINUTE_MS;
}

export function roleMissing(needed: string): Problem {
  return new Problem(
    "insufficient_role",
    `This needs the role ${needed}. Ask an owner of the account for it.`,
    {
      extra: { required_role: needed },
    },
  );
}

function nothingHere(): Problem {
  return new Problem("not_found", "There is no such account for you.");
}
