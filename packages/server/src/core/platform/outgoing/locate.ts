/**
 * From a customer's URL to a destination with judged addresses. What depends on the URL alone is worked out once
 * and remembered, because a webhook endpoint's URL is asked for thousands of times.
 */
import { isIP } from "node:net";
import { canonicalAddress } from "./addresses.ts";
import type { Destination } from "./connect.ts";
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
  /** The host as it is asked for, with a port unless it is the scheme's own. */
  readonly authority: string;
  readonly origin: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly hostAllowed: boolean;
  /** Known already when the host is an address; null when it is a name. */
  readonly literal: Destination | null;
}

export type Routing =
  | { readonly ok: true; readonly route: Route }
  | { readonly ok: false; readonly reason: string };

export interface Locator {
  route(url: string, plainHttp: boolean): Routing;
  /** Finds and judges the addresses behind a name. Rejects when any of them may not be reached. */
  locate(route: Route, stop: Stop): Promise<Destination>;
}

const ROUTES_REMEMBERED_MAX = 2_000;

export function createLocator(rules: TargetRules, resolver: AddressResolver): Locator {
  const routings = new Map<string, Routing>();
  /** The resolver hands out one list for as long as an answer is fresh; judging it once is enough. */
  const destinations = new WeakMap<AddressList, Map<string, Destination>>();

  return {
    route(url, plainHttp) {
      const key = plainHttp ? `plain ${url}` : url;
      const known = routings.get(key);
      if (known !== undefined) return known;
      const routing = judgeRoute(rules, url, plainHttp);
      // Forgetting all at once is crude and enough: an installation has fewer endpoints in use than this.
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
        destination = judgeDestination(rules, route, answer);
        byOrigin.set(route.origin, destination);
      }
      return destination;
    },
  };
}

function judgeRoute(rules: TargetRules, text: string, plainHttp: boolean): Routing {
  // A fragment is never sent, so it is no reason to fail here.
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
  const literal = isIP(host) === 0 ? null : judgeDestination(rules, route, [host]);
  return { ok: true, route: { ...route, literal } };
}

/** One address that may not be reached spoils the whole answer. */
function judgeDestination(
  rules: TargetRules,
  route: Omit<Route, "literal">,
  found: AddressList,
): Destination {
  const { origin, secure, host, port, hostAllowed } = route;
  const addresses = found.map((address) => {
    const problem = addressProblem(rules, address, hostAllowed);
    if (problem !== null) throw new Error(`${host}: ${problem}`);
    return canonicalAddress(address) ?? address;
  });
  const direct = hostAllowed || addresses.every((a) => isAllowedAddress(rules.allowTargets, a));
  return { origin, secure, host, port, addresses, hostAllowed, direct };
}
