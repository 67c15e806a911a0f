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
import {
  CONSOLE_BASE,
  type CompiledRoute,
  type Mount,
  routesAt,
} from "../../http/server/mounts.ts";
import { type ConsoleDeps, checkSecondFactor, sessionOf, sessionRequired } from "./own-routes.ts";
import { acceptCall } from "./session-request.ts";
import type { Membership, Session } from "./sessions.ts";
import { findKeyAccount } from "./sql.ts";

const MINUTE_MS = 60_000;

/**
 * Mounts the API's routes for people: the same validation, idempotency and handlers, authenticated by a
 * session instead of a key.
 */
export function consoleMounts(deps: ConsoleDeps): Mount[] {
  const refusal = sessionRequired;
  return [
    {
      base: `${CONSOLE_BASE}/operator`,
      authenticators: [operatorAuthenticator(deps)],
      refusal,
      routes: routesAt("/operator/v1", `${CONSOLE_BASE}/operator`),
    },
    {
      base: `${CONSOLE_BASE}/keys`,
      authenticators: [keysAuthenticator(deps)],
      refusal,
      routes: keyRoutes(),
    },
    {
      base: CONSOLE_BASE,
      authenticators: [accountAuthenticator(deps)],
      refusal,
      routes: ["/v1", CONSOLE_BASE].flatMap((base) =>
        routesAt(base, `${CONSOLE_BASE}/{account}/{mode}`),
      ),
    },
  ];
}

async function sessionIn(deps: ConsoleDeps, exchange: Exchange): Promise<Session | null> {
  acceptCall(deps, exchange);
  const session = await sessionOf(deps, exchange);
  if (session) checkSecondFactor(session);
  return session;
}

/** Authenticates a member of the account that the path names. */
function accountAuthenticator(deps: ConsoleDeps) {
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

function operatorAuthenticator(deps: ConsoleDeps) {
  return async (exchange: Exchange): Promise<Caller | null> => {
    const session = await sessionIn(deps, exchange);
    if (!session) return null;
    if (!session.isOperator) throw roleMissing("operator");
    return { kind: "operator", user: personOf(deps, session) };
  };
}

/** Admins manage their account's keys through the operator's key routes. */
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

function keysAuthenticator(deps: ConsoleDeps) {
  return async (exchange: Exchange): Promise<Caller | null> => {
    const session = await sessionIn(deps, exchange);
    if (!session) return null;
    const { id = "" } = exchange.params;
    // List and create name the account as {id}; routes of one key name it as {account}.
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

/** The person's membership, or 404: only members learn that an account exists. */
export function membershipOf(session: Session, id: string): Membership {
  const uuid = fromApiId("account", id);
  const found = session.memberships.find(({ account }) => account.id === uuid);
  if (!found) throw accountNotFound();
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

/** Requires a recent password confirmation. */
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

function accountNotFound(): Problem {
  return new Problem("not_found", "There is no such account for you.");
}
