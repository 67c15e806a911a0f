import { hostname } from "node:os";
import type { Carrier, CarrierSink } from "./carrier.ts";
import type { CarrierConfig } from "./config.ts";
import { createSimulator } from "./simulator.ts";
import { SmppCarrier, type SmppDeps } from "./smpp/carrier.ts";

/** Which link carries a text. */
export interface Carriers {
  /** Whether any link is configured for this number. */
  serves(from: string): boolean;
  /** A link for this number with one place of its window taken, or null when none has one now. */
  reserve(from: string): Carrier | null;
  /** Texts a second that the first link for this number takes; null without a limit. */
  ratePerSecond(from: string): number | null;
  all(): readonly Carrier[];
  start(sink: CarrierSink): Promise<void>;
  /** Waits for the answers of what is out, and closes the links. */
  stop(): Promise<void>;
}

export function createCarriers(configs: readonly CarrierConfig[], deps: SmppDeps): Carriers {
  // How an operator finds the process that owns a bind.
  const owner = `${hostname()}:${process.pid}`;
  const links = configs.map((config) => ({
    carrier:
      config.type === "smpp" ? new SmppCarrier(config, deps, owner) : createSimulator(config, deps),
    numbers: config.numbers === "*" ? null : new Set(config.numbers),
  }));
  const serves = (link: (typeof links)[number], from: string) =>
    link.numbers === null || link.numbers.has(from);
  return {
    serves: (from) => links.some((link) => serves(link, from)),
    // The list is in order of priority: a link without a place passes the text on to the next.
    reserve(from) {
      for (const link of links) {
        const { carrier } = link;
        if (serves(link, from) && carrier.state().state === "up" && carrier.reserve(1) === 1)
          return carrier;
      }
      return null;
    },
    ratePerSecond: (from) =>
      links.find((link) => serves(link, from))?.carrier.state().ratePerSecond ?? null,
    all: () => links.map((link) => link.carrier),
    async start(sink) {
      await Promise.all(links.map((link) => link.carrier.start(sink)));
    },
    async stop() {
      await Promise.all(links.map((link) => link.carrier.stop()));
    },
  };
}
