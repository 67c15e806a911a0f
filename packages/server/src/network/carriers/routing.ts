import { hostname } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { BindDeps, LinkPlace } from "./binds/leased-binds.ts";
import type { Carrier, CarrierSink, WantedBy } from "./carrier.ts";
import type { CarrierConfig } from "./config.ts";
import { HttpCarrier } from "./http/carrier.ts";
import { createCarrierMeters } from "./meters.ts";
import { type NumberSet, numbersThat } from "./number-set.ts";
import { createSimulator } from "./simulator.ts";
import { SmppCarrier } from "./smpp/carrier.ts";
import { createCarrierTraffic } from "./traffic.ts";

/** A carrier and what the carriers file says of it. */
export interface Link {
  readonly carrier: Carrier;
  readonly config: CarrierConfig;
}

/** What a reload came to, by the names of carriers. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** Which link carries a text. */
export interface Carriers {
  /** Whether any link is configured for this number. */
  serves(from: string): boolean;
  /** A link for this number with one place of its window taken, or null when none has one now. */
  reserve(from: string, wantedBy: WantedBy): Carrier | null;
  /** The same, where a place is waited for briefly. */
  reserveSoon(from: string): Promise<Carrier | null>;
  /** Texts a second that the first link for this number takes; null without a limit. */
  ratePerSecond(from: string): number | null;
  /** Numbers whose links are up, but in other processes: their texts are handed over there. */
  elsewhere(): NumberSet;
  /** Numbers whose batches do better to wait: their links are elsewhere, or are just making room. */
  notNow(): NumberSet;
  /** Numbers that no link is configured for. */
  unserved(): NumberSet;
  /** Numbers whose links are all down, in every process. */
  stranded(): NumberSet;
  links(): readonly Link[];
  all(): readonly Carrier[];
  start(sink: CarrierSink): Promise<void>;
  /** Leaves the links of unchanged carriers alone, and drains those of the others. */
  reload(configs: readonly CarrierConfig[]): Promise<Reloaded>;
  /** Waits for the answers of what is out, and closes the links. */
  stop(): Promise<void>;
}

export interface CarriersOptions {
  /** Whether this process hands over what others accepted: only then it may have links. */
  readonly mayOwn: boolean;
}

/** How an operator finds the process that owns a bind. */
const OWNER = `${hostname()}:${process.pid}`;

export function createCarriers(
  configs: readonly CarrierConfig[],
  deps: BindDeps,
  { mayOwn }: CarriersOptions = { mayOwn: true },
): Carriers {
  const traffic = createCarrierTraffic(deps);
  const meters = createCarrierMeters(deps, () => links.map((link) => link.carrier), traffic);
  const open = (config: CarrierConfig): Link => {
    const carrier = carrierOf(config, deps, { mayOwn, owner: OWNER });
    return { config, carrier: meters.metered(carrier) };
  };
  let links = configs.map(open);
  let routes = createRoutes(links);
  let sink: CarrierSink | null = null;

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
    // From now on nothing new goes the old way; what is on it is let out, and its binds are free.
    routes = createRoutes(links);
    await Promise.all(gone.map((link) => link.carrier.stop()));
    if (sink) await Promise.all(opened.map((link) => link.carrier.start(sink as CarrierSink)));
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
    serves: (from) => routes.of(from).length > 0,
    reserve: (from, wantedBy) => routes.reserve(from, wantedBy),
    reserveSoon: (from) => routes.reserveSoon(from),
    ratePerSecond: (from) => routes.of(from)[0]?.carrier.state().ratePerSecond ?? null,
    elsewhere: () => routes.numbersThat((route) => isElsewhere(route)),
    notNow: () => routes.numbersThat((route) => isElsewhere(route) || isFilling(route)),
    unserved: () => routes.numbersThat((route) => route.length === 0),
    stranded: () => routes.numbersThat((route) => route.length > 0 && !route.some(isUp)),
    links: () => links,
    all: () => links.map((link) => link.carrier),
    async start(given) {
      sink = given;
      await Promise.all(links.map((link) => link.carrier.start(given)));
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

function carrierOf(config: CarrierConfig, deps: BindDeps, place: LinkPlace): Carrier {
  switch (config.type) {
    case "smpp":
      return new SmppCarrier(config, deps, place);
    case "http":
      return new HttpCarrier(config, deps, place);
    case "simulator":
      return createSimulator(config, deps);
  }
}

/** The links that serve a number, in order of priority. */
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
  const reserve = (from: string, wantedBy: WantedBy): Carrier | null => {
    for (const { carrier } of preferred(of(from))) {
      if (carrier.reserve(1, wantedBy) === 1) return carrier;
    }
    return null;
  };
  return {
    of,
    reserve,
    async reserveSoon(from: string): Promise<Carrier | null> {
      const taken = reserve(from, "somebody");
      const [first] = taken ? [] : preferred(of(from)).filter(isHere);
      return first && (await first.carrier.reserveSoon()) ? first.carrier : taken;
    },
    numbersThat: (belongs: (route: Route) => boolean): NumberSet =>
      numbersThat((number) => belongs(of(number)), named),
  };
}

/**
 * The links of the smallest priority of which one is up, wherever that is: a carrier that is down
 * passes to the next, one that is only busy does not.
 */
function preferred(route: Route): Route {
  const first = route.find(isUp);
  if (!first) return [];
  return route.filter((link) => link.config.priority === first.config.priority);
}

function isUp({ carrier }: Link): boolean {
  return carrier.state().state === "up";
}

function isHere({ carrier }: Link): boolean {
  return carrier.state().isHere;
}

function isElsewhere(route: Route): boolean {
  const links = preferred(route);
  return links.length > 0 && !links.some(isHere);
}

function isFilling(route: Route): boolean {
  const links = preferred(route);
  return links.length > 0 && links.every(({ carrier }) => carrier.isFilling());
}
