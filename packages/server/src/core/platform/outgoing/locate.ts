/**
 * Turns a customer's URL into a destination with checked addresses. Everything that depends on the URL alone is
 * cached, because a webhook endpoint's URL is requested thousands of times.
 */
import { isIP } from "node:net";
import { canonicalAddress } from "./addresses.ts";
import type { Destination } from "./connect.ts";
import { BlockedTargetError } from "./failure.ts";
import type { AddressList, AddressResolver } from "./resolve.ts";
import { type Stop, unlessStopped } from "./stop.ts";
import {
  addressProblem,
  canonicalHost,
  isAllowedAddress,
  isAllowedHost,
  type TargetRules,
} from "./targets.ts";
import { checkUrl, portOf } from "./url-rules.ts";

/** A URL that passed the rules. */
export interface Route {
  readonly path: string;
  /** The host as sent in the Host header, with a port unless it is the scheme's default. */
  readonly authority: string;
  readonly origin: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly hostAllowed: boolean;
  /** Set when the host is an address; null when it is a name. */
  readonly literal: Destination | null;
}

export type Routing =
  | { readonly ok: true; readonly route: Route }
  | { readonly ok: false; readonly reason: string };

export interface Locator {
  route(url: string, plainHttp: boolean): Routing;
  /** Resolves a name and checks its addresses. Rejects when any of them may not be reached. */
  locate(route: Route, stop: Stop): Promise<Destination>;
}

const ROUTES_REMEMBERED_MAX = 2_000;

export function createLocator(rules: TargetRules, resolver: AddressResolver): Locator {
  const routings = new Map<string, Routing>();
  /**
   * Keyed by the resolver's list, which stays the same object while an answer is fresh: each answer is checked once.
   */
  const destinations = new WeakMap<AddressList, Map<string, Destination>>();

  return {
    route(url, plainHttp) {
      const key = plainHttp ? `plain ${url}` : url;
      const known = routings.get(key);
      if (known !== undefined) return known;
      const routing = checkRoute(rules, url, plainHttp);
      // Clearing everything is crude but enough: an installation has fewer endpoints in use than this.
      if (routings.size >= ROUTES_REMEMBERED_MAX) routings.clear();
      routings.set(key, routing);
      return routing;
    },
    async locate(route, stop) {
      const source = route.hostAllowed ? "system" : "dns";
      const answer = await unlessStopped(stop, resolver.resolve(route.host, source));
      let byOrigin = destinations.get(answer);
      if (byOrigin === undefined) {
        byOrigin = new Map();
        destinations.set(answer, byOrigin);
      }
      let destination = byOrigin.get(route.origin);
      if (destination === undefined) {
        destination = checkDestination(rules, route, answer);
        byOrigin.set(route.origin, destination);
      }
      return destination;
    },
  };
}

function checkRoute(rules: TargetRules, text: string, plainHttp: boolean): Routing {
  // A fragment is never sent, so it is no reason to refuse here.
  const verdict = checkUrl(rules, text, { plainHttp, fragment: true });
  if (!verdict.ok) return verdict;
  const { url } = verdict;
  const host = canonicalHost(url.hostname);
  const port = portOf(url);
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  const route = {
    path: `${url.pathname}${url.search}`,
    authority: url.port === "" ? bracketed : `${bracketed}:${port}`,
    origin: `${url.protocol}//${bracketed}:${port}`,
    secure: url.protocol === "https:",
    host,
    port,
    hostAllowed: isAllowedHost(rules.allowTargets, host, port),
  };
  const literal = isIP(host) === 0 ? null : checkDestination(rules, route, [host]);
  return { ok: true, route: { ...route, literal } };
}

/** Rejects the whole answer when one of its addresses may not be reached. */
function checkDestination(
  rules: TargetRules,
  route: Omit<Route, "literal">,
  found: AddressList,
): Destination {
  const { origin, secure, host, port, hostAllowed } = route;
  const addresses = found.map((address) => {
    const problem = addressProblem(rules, address, hostAllowed);
    if (problem !== null) throw new BlockedTargetError(`${host}: ${problem}`);
    return canonicalAddress(address) ?? address;
  });
  const direct = hostAllowed || addresses.every((a) => isAllowedAddress(rules.allowTargets, a));
  return { origin, secure, host, port, addresses, hostAllowed, direct };
}
