import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  isWellFormedKey,
  KEY_PREFIXES,
  OLDER_KEY_PREFIXES,
  Problem,
  type RouteName,
  type RouteSpec,
  type Scope,
} from "@longwave/contract";
import { cidrContains } from "../../core/platform/outgoing/addresses.ts";
import type { Caller, Operator, Principal } from "../api/caller.ts";
import { checkConfirmed, checkRole } from "../api/check-role.ts";
import type { Exchange } from "../exchange/exchange.ts";

const KEY_CHARS_MAX = 200;
const BASIC_CHARS_MAX = 1_000;
const CURRENT_PREFIXES = Object.values(KEY_PREFIXES);

/** Identifies the caller of a request; null when the request carries no such credential, or an unknown one. */
export type Authenticator = (exchange: Exchange) => Caller | null | Promise<Caller | null>;

/** Looks up API keys. */
export interface KeyFinder {
  /** The principal of this key, if a recent lookup is still cached. */
  remembered(key: string): Principal | null;
  find(key: string): Promise<Principal | null>;
}

/** Tries the authenticators in order. Awaits only lookups that miss the cache. */
export function identify(
  authenticators: readonly Authenticator[],
  exchange: Exchange,
  index = 0,
): Caller | null | Promise<Caller | null> {
  const authenticator = authenticators[index];
  if (!authenticator) return null;
  const found = authenticator(exchange);
  if (found instanceof Promise) {
    return found.then((caller) => caller ?? identify(authenticators, exchange, index + 1));
  }
  return found ?? identify(authenticators, exchange, index + 1);
}

/** Authenticates by API key. Malformed keys cost no database query. */
export function apiKey(keys: KeyFinder): Authenticator {
  return ({ request }) => {
    const key = bearerOf(request);
    if (key.length === 0 || key.length > KEY_CHARS_MAX) return null;
    const known = keys.remembered(key);
    if (known) return known;
    return isPlausible(key) ? keys.find(key) : null;
  };
}

/** Authenticates by HTTP Basic: a name with an API key as the password. The name must match the key. */
export function basicKey(
  keys: KeyFinder,
  isNameOf: (name: string, principal: Principal) => boolean,
): Authenticator {
  return async ({ request }) => {
    const { name, password: key } = basicOf(request);
    if (key.length === 0 || key.length > KEY_CHARS_MAX) return null;
    const known = keys.remembered(key) ?? (isPlausible(key) ? await keys.find(key) : null);
    return known !== null && isNameOf(name, known) ? known : null;
  };
}

/** Looks up named operator tokens. */
export interface OperatorTokenFinder {
  find(token: string): Promise<Operator["token"] | null>;
}

/** Authenticates by the installation's own operator token, else by a named one. */
export function operatorToken(token: string, named: OperatorTokenFinder): Authenticator {
  const wanted = sha256(token);
  return async ({ request }) => {
    const given = bearerOf(request);
    if (timingSafeEqual(sha256(given), wanted)) return { kind: "operator" };
    const found = await named.find(given);
    return found ? { kind: "operator", token: found } : null;
  };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function bearerOf(request: IncomingMessage): string {
  const header = request.headers.authorization ?? "";
  return /^bearer /i.test(header) ? header.slice("bearer ".length) : "";
}

/** User name and password of HTTP Basic; empty without them. */
export function basicOf(request: IncomingMessage): {
  readonly name: string;
  readonly password: string;
} {
  const header = request.headers.authorization ?? "";
  if (!/^basic /i.test(header) || header.length > BASIC_CHARS_MAX)
    return { name: "", password: "" };
  const [, name = "", password = ""] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(header.slice("basic ".length), "base64").toString()) ?? [];
  return { name, password };
}

function isPlausible(key: string): boolean {
  if (CURRENT_PREFIXES.some((prefix) => key.startsWith(prefix))) return isWellFormedKey(key);
  return OLDER_KEY_PREFIXES.some((prefix) => key.startsWith(prefix)) && /^[\x21-\x7e]+$/.test(key);
}

/** Refusals that depend on the account alone; they precede the 404 of an unknown path. */
export function checkAccount(principal: Principal): void {
  // The operator may look into an account that is suspended.
  const isVisit = principal.kind === "user" && principal.isVisit;
  if (principal.account.status === "suspended" && !isVisit) {
    throw new Problem("tenant_suspended", "This account is suspended. Ask the operator why.");
  }
  if (principal.mode === "live" && principal.account.live_access !== "granted") {
    throw new Problem(
      "live_access_required",
      "This live key works once the account has live access. Use a test key until then.",
    );
  }
}

/** Refuses a key that is limited to networks without this address. */
export function checkAddress(principal: Principal, ip: string): void {
  if (principal.kind !== "key" || principal.allowedIps === null) return;
  if (principal.allowedIps.some((network) => cidrContains(network, ip))) return;
  throw new Problem(
    "ip_not_allowed",
    `This key may not be used from ${ip}. An admin of the account can allow the address.`,
  );
}

/** Refuses a restricted key without this scope. */
export function requireScope({ scopes }: Principal, scope: Scope): void {
  if (scopes === null || scopes.has(scope)) return;
  throw new Problem("insufficient_scope", `This key lacks the scope ${scope}.`, {
    extra: { required_scope: scope },
  });
}

/** Refusals that depend on the route: its scope, then whether it takes live keys only. */
export function checkRoute(
  principal: Principal,
  { name, spec }: { readonly name: RouteName; readonly spec: RouteSpec },
): void {
  const { scope } = spec;
  if (scope === "operator") throw new Problem("not_found", "There is nothing here.");
  checkRole(principal, name);
  if (scope === "full_access" && principal.scopes !== null) {
    throw new Problem(
      "insufficient_scope",
      "This call needs a key with full access. Use one that was minted without scopes.",
      { extra: { required_scope: null } },
    );
  }
  if (scope !== "any_key" && scope !== "full_access") requireScope(principal, scope);
  checkConfirmed(principal, name);
  if (spec.liveOnly && principal.mode === "test") {
    throw new Problem("live_access_required", "This call works with a live key only.");
  }
}
