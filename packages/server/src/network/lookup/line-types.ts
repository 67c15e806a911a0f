import type { Base } from "../base.ts";
import { cachedProvider } from "./cached.ts";
import { httpProvider } from "./http-provider.ts";
import { createNumbering, type Numbering } from "./numbering.ts";
import { numberingPlanProvider, sandboxProvider } from "./offline.ts";
import type { Findings, LineFinding, LookupProvider } from "./provider.ts";

/** What is known of phone numbers: asked by batches, imports, verifications and the API alike. */
export interface Lookup {
  /** What is known of each, all of them in the answer: `unknown` where nobody knows. */
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
  // After whoever knows single numbers: a range does not tell which of its numbers were ported.
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

/** The digits of a US or Canada number do not tell a mobile phone from a landline. */
const UNKNOWN = {
  lineType: "unknown",
  carrier: null,
  ported: null,
  source: "numbering_plan",
} as const;
