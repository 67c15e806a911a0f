import type { Base } from "../../core/base.ts";
import { cachedProvider } from "./cached.ts";
import { httpProvider } from "./http-provider.ts";
import { createNumbering, type Numbering } from "./numbering.ts";
import { numberingPlanProvider, sandboxProvider } from "./offline.ts";
import type { Findings, LineFinding, LookupProvider } from "./provider.ts";

/** Line types of phone numbers, for batches, imports, verifications and the API. */
export interface Lookup {
  /** Line types of all numbers asked for; `unknown` where no provider knows. */
  find(phones: readonly string[]): Promise<Findings>;
  readonly numbering: Numbering;
}

export interface LookupDeps extends Base {
  readonly lookup: Lookup;
}

export function createLookup(
  deps: Pick<Base, "clock" | "config" | "db" | "log" | "outgoing">,
): Lookup {
  const { lookupUrl, lookupToken } = deps.config;
  const providers: LookupProvider[] = [
    sandboxProvider(deps.clock),
    numberingPlanProvider(deps.clock),
  ];
  if (lookupUrl !== null) {
    providers.push(cachedProvider(deps, httpProvider(deps, lookupUrl, lookupToken)));
  }
  // After providers of single numbers: a range does not show which of its numbers were ported.
  const numbering = createNumbering(deps);
  providers.push(numbering.provider);
  return {
    numbering,
    async find(phones) {
      const found = new Map<string, LineFinding>();
      for (const provider of providers) {
        const left = phones.filter((phone) => !found.has(phone));
        if (left.length === 0) break;
        for (const [phone, finding] of await provider.find(left)) found.set(phone, finding);
      }
      const checkedAtMs = deps.clock.now();
      for (const phone of phones) {
        if (!found.has(phone)) found.set(phone, { ...UNKNOWN, checkedAtMs });
      }
      return found;
    },
  };
}

/** The digits of a US or Canadian number do not distinguish mobile phones from landlines. */
const UNKNOWN = {
  lineType: "unknown",
  carrier: null,
  ported: null,
  source: "numbering_plan",
} as const;
