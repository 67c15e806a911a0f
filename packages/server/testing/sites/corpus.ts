import { BUSINESSES } from "./businesses.ts";
import { type CorpusSite, site, slug } from "./edits.ts";
import { MESSY_SITES } from "./messy.ts";
import { OPT_IN_DEFECTS } from "./opt-in-defects.ts";
import { POLICY_DEFECTS } from "./policy-defects.ts";

export type { CorpusSite } from "./edits.ts";

/** Compliant websites of every business. */
const COMPLIANT = BUSINESSES.map((business) =>
  site(`compliant-${slug(business.name)}`, business, [], []),
);

/** Websites with the exact findings that the rules must make on them. */
export const CORPUS: readonly CorpusSite[] = [
  ...COMPLIANT,
  ...MESSY_SITES,
  ...POLICY_DEFECTS,
  ...OPT_IN_DEFECTS,
];
