import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { BindOwnership } from "./binds/leased-binds.ts";
import type { Carrier, InboxSink, RequestedBy } from "./carrier.ts";
import type { CarrierConfig } from "./config.ts";
import { HttpCarrier, type HttpCarrierDeps } from "./http/carrier.ts";
import { createCarrierMeters } from "./meters.ts";
import { rateOfNumber } from "./number-pace.ts";
import { type NumberSet, numbersWhere } from "./number-set.ts";
import { sinkFor } from "./served-numbers.ts";
import { createSimulator } from "./simulator.ts";
import { SmppCarrier } from "./smpp/carrier.ts";
import { createCarrierTraffic } from "./traffic.ts";

/** A carrier with its entry in the carriers file. */
export interface Link {
  readonly carrier: Carrier;
  readonly config: CarrierConfig;
}

/** Result of a reload, by carrier name. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** Routes messages to carriers by sender number and destination. */
export interface Carriers {
  /** Whether any link is configured for this number and, if given, for this destination. */
  serves(from: string, to?: string): boolean;
  /** Whether a link for this number and destination is up somewhere, and does not throttle. */
  isReady(from: string, to: string): boolean;
  /** Whether messages from this number to this destination go to the carrier. */
  carries(carrier: Carrier, from: string, to: string): boolean;
  /**
   * Reserves one window slot of a link for this number and destination; null when no link has one now.
   *
   * Without a destination: a link that takes all of them, or North American ones. A message whose
   * last attempt failed at a carrier prefers the next ones in priority.
   */
  reserve(
    from: string,
    requestedBy: RequestedBy,
    to?: string,
    failedCarrier?: string | null,
  ): Carrier | null;
  /** Whether another link than the carrier's is configured for this number and destination. */
  hasOther(from: string, to: string, carrier: string | null): boolean;
  /** Reserves a slot and waits briefly for one. */
  reserveSoon(from: string, to?: string): Promise<Carrier | null>;
  /** Messages per second of the first link for this number; null without a limit. */
  ratePerSecond(from: string): number | null;
  /** Numbers whose links are up in other processes only, which submit their messages. */
  remoteNumbers(): NumberSet;
  /** Numbers whose batches should wait: their links are remote, or are freeing slots. */
  deferredNumbers(): NumberSet;
  /** Numbers that no link is configured for. */
  unserved(): NumberSet;
  /** Numbers whose links are down in every process. */
  downNumbers(): NumberSet;
  links(): readonly Link[];
  all(): readonly Carrier[];
  start(sink: InboxSink): Promise<void>;
  /** Keeps the links of unchanged carriers and drains the others. */
  reload(configs: readonly CarrierConfig[]): Promise<Reloaded>;
  /** Waits for outstanding answers and closes the links. */
  stop(): Promise<void>;
}

export interface CarriersOptions {
  /** Whether this process runs the outbound lane. Only such processes take leases. */
  readonly mayOwn: boolean;
}

/** Owner of a bind as shown to operators. */
const OWNER = `${hostname()}:${process.pid}`;

export function createCarriers(
  configs: readonly CarrierConfig[],
  deps: HttpCarrierDeps,
  { mayOwn }: CarriersOptions = { mayOwn: true },
): Carriers {
  const traffic = createCarrierTraffic(deps);
  const meters = createCarrierMeters(deps, () => links.map((link) => link.carrier), traffic);
  const open = (config: CarrierConfig): Link => {
    const hasAlternative = (from: string, to: string) =>
      routes.to(from, to).some((link) => link.config.name !== config.name && isReady(link));
    const carrier = carrierOf(config, deps, { mayOwn, owner: OWNER, hasAlternative });
    return { config, carrier: meters.metered(carrier) };
  };
  let links = configs.map(open);
  let routes = createRoutes(links);
  let sink: InboxSink | null = null;
  const startAll = async (started: readonly Link[], given: InboxSink): Promise<void> => {
    await Promise.all(started.map(({ carrier, config }) => carrier.start(sinkFor(config, given))));
  };

  const change = async (next: readonly CarrierConfig[]): Promise<Reloaded> => {
    const before = new Map(links.map((link) => [link.config.name, link]));
    const isKept = (config: CarrierConfig) =>
      isDeepStrictEqual(before.get(config.name)?.config, config);
    const kept = new Set(next.filter(isKept).map((config) => config.name));
    const gone = links.filter((link) => !kept.has(link.config.name));
    const opened = next.filter((config) => !kept.has(config.name)).map(open);
    links = next.map(
      (config) =>
        opened.find((link) => link.config === config) ?? (before.get(config.name) as Link),
    );
    // New messages take the new routes; replaced links drain and release their binds.
    routes = createRoutes(links);
    await Promise.all(gone.map((link) => link.carrier.stop()));
    if (sink) await startAll(opened, sink);
    const names = opened.map((link) => link.config.name);
    return {
      added: names.filter((name) => !before.has(name)),
      changed: names.filter((name) => before.has(name)),
      removed: gone.map((link) => link.config.name).filter((name) => !names.includes(name)),
      unchanged: [...kept],
    };
  };
  let changes: Promise<unknown> = Promise.resolve();

  return {
    serves: (from, to) => routes.to(from, to).length > 0,
    isReady: (from, to) => routes.to(from, to).some(isReady),
    carries: (carrier, from, to) => routes.carries(carrier, from, to),
    reserve: (from, requestedBy, to, failedCarrier = null) =>
      routes.reserve(from, requestedBy, to, failedCarrier),
    hasOther: (from, to, carrier) =>
      routes.to(from, to).some((link) => link.config.name !== carrier),
    reserveSoon: (from, to) => routes.reserveSoon(from, to),
    ratePerSecond: (from) => rateFor(routes.of(from)[0], from),
    remoteNumbers: () => routes.numbersThat((route) => routes.isRemote(route)),
    deferredNumbers: () =>
      routes.numbersThat((route) => routes.isRemote(route) || isFilling(route)),
    unserved: () => routes.numbersThat((route) => route.length === 0),
    downNumbers: () => routes.numbersThat((route) => route.length > 0 && !route.some(isUp)),
    links: () => links,
    all: () => links.map((link) => link.carrier),
    async start(given) {
      sink = given;
      await startAll(links, given);
    },
    reload(next) {
      const changed = changes.then(() => change(next));
      changes = changed.catch(() => {});
      return changed;
    },
    async stop() {
      await changes;
      await Promise.all(links.map((link) => link.carrier.stop()));
      await traffic.close();
    },
  };
}

function carrierOf(
  config: CarrierConfig,
  deps: HttpCarrierDeps,
  ownership: BindOwnership,
): Carrier {
  switch (config.type) {
    case "smpp":
      return new SmppCarrier(config, deps, ownership);
    case "http":
      return new HttpCarrier(config, deps, ownership);
    case "simulator":
      return createSimulator(config, deps);
  }
}

/** Rate of a number at a link: the smaller one of the carrier's and its own. */
function rateFor(link: Link | undefined, from: string): number | null {
  if (!link) return null;
  const { config, carrier } = link;
  const own = config.type === "http" ? rateOfNumber(config.http.numberRates, from) : null;
  const all = carrier.state().ratePerSecond;
  return own === null || all === null ? (own ?? all) : Math.min(own, all);
}

/** Links that serve a number, in order of priority. */
type Route = readonly Link[];

function createRoutes(links: readonly Link[]) {
  const named = [
    ...new Set(links.flatMap(({ config }) => (config.numbers === "*" ? [] : config.numbers))),
  ];
  const routeOf = (number: string | null): Route =>
    links.filter(
      ({ config }) =>
        config.numbers === "*" || (number !== null && config.numbers.includes(number)),
    );
  const others = routeOf(null);
  const byName = new Map(named.map((number) => [number, routeOf(number)]));
  const of = (number: string | null): Route =>
    (number === null ? undefined : byName.get(number)) ?? others;
  const isByDestination = links.some(({ config }) => config.destinations !== "*");
  const to = (from: string, destination = NORTH_AMERICA): Route =>
    isByDestination ? nearest(of(from), destination) : of(from);
  const reserve = (
    from: string,
    requestedBy: RequestedBy,
    destination: string | undefined,
    failedCarrier: string | null,
  ): Carrier | null => {
    const route = to(from, destination);
    const others = route.filter((link) => link.config.name !== failedCarrier);
    const isFailover = others.length < route.length;
    for (const { carrier } of [...(isFailover ? preferred(others) : []), ...preferred(route)]) {
      if (carrier.reserve(1, requestedBy) === 1) return carrier;
    }
    return null;
  };
  return {
    of,
    to,
    reserve,
    carries: (carrier: Carrier, from: string, destination: string): boolean =>
      !isByDestination || to(from, destination).some((link) => link.carrier === carrier),
    /** A number with links to several destinations is another process's only if all of them are. */
    isRemote: (route: Route): boolean =>
      isByDestination ? isRemoteEverywhere(route) : isRemote(route),
    async reserveSoon(from: string, destination?: string): Promise<Carrier | null> {
      const taken = reserve(from, "single", destination, null);
      const [first] = taken ? [] : preferred(to(from, destination)).filter(isHere);
      return first && (await first.carrier.reserveSoon()) ? first.carrier : taken;
    },
    numbersThat: (belongs: (route: Route) => boolean): NumberSet =>
      numbersWhere((number) => belongs(of(number)), named),
  };
}

/** Messages without a known destination, such as the slots that a batch reserves ahead. */
const NORTH_AMERICA = "+1";

/** Length of the beginning that a link names for this destination, 1 for all destinations, 0 for none. */
function matchLength({ config: { destinations } }: Link, to: string): number {
  if (destinations === "*") return 1;
  return destinations.reduce(
    (longest, prefix) => (to.startsWith(prefix) ? Math.max(longest, prefix.length) : longest),
    0,
  );
}

/** Links for a destination: the links with its longest matching prefix carry all of its messages. */
function nearest(route: Route, to: string): Route {
  const longest = route.reduce((most, link) => Math.max(most, matchLength(link, to)), 0);
  return longest === 0 ? [] : route.filter((link) => matchLength(link, to) === longest);
}

function isRemoteEverywhere(route: Route): boolean {
  const up = route.filter(isUp);
  return up.length > 0 && !up.some(isHere);
}

/**
 * Links of the best priority with a link up in any process. A carrier that is down or throttles
 * passes to the next priority; a busy one does not. If all throttle, messages wait for the best one.
 */
function preferred(route: Route): Route {
  const first = route.find(isReady) ?? route.find(isUp);
  if (!first) return [];
  const { priority } = first.config;
  const isLike = isReady(first) ? isReady : () => true;
  return route.filter((link) => link.config.priority === priority && isLike(link));
}

function isReady(link: Link): boolean {
  return isUp(link) && !link.carrier.state().isThrottled;
}

function isUp({ carrier }: Link): boolean {
  return carrier.state().state === "up";
}

function isHere({ carrier }: Link): boolean {
  return carrier.state().isHere;
}

function isRemote(route: Route): boolean {
  const links = preferred(route);
  return links.length > 0 && !links.some(isHere);
}

function isFilling(route: Route): boolean {
  const links = preferred(route);
  return links.length > 0 && links.every(({ carrier }) => carrier.isFilling());
}
