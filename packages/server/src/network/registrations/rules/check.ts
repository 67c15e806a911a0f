import type { RegistrationCode } from "@longwave/contract";
import type { Site, Subject } from "../site.ts";
import { BRAND_RULES } from "./brand-rules.ts";
import { CONTENT_RULES } from "./content-rules.ts";
import { type Finding, findingOf, type SampleFinding } from "./finding.ts";
import { OPT_IN_RULES } from "./opt-in-rules.ts";
import { POLICY_RULES } from "./policy-rules.ts";
import { SAMPLE_RULES, SAMPLE_SET_RULES, sampleOf } from "./sample-rules.ts";
import type { WebsiteRule } from "./site-view.ts";
import { WEBSITE_RULES } from "./website-rules.ts";

/** Page rules in the order of their findings. */
export const PAGE_RULES: readonly WebsiteRule[] = [
  ...WEBSITE_RULES,
  ...POLICY_RULES,
  ...OPT_IN_RULES,
  ...CONTENT_RULES,
  ...BRAND_RULES,
];

/** Pure: the same pages and subject always give the same findings. */
export function checkSite(site: Site, subject: Subject): Finding[] {
  return PAGE_RULES.flatMap(({ code, evaluate }) => {
    const seen = evaluate({ site, subject });
    return seen === null ? [] : [findingOf(code, seen)];
  });
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
}

export interface SampleCheck extends Counts {
  readonly ok: boolean;
  readonly findings: readonly SampleFinding[];
}

export function checkSamples(texts: readonly string[], subject: Subject): SampleCheck {
  const samples = texts.map(sampleOf);
  const ofSet = SAMPLE_SET_RULES.flatMap(({ code, see }): SampleFinding[] => {
    const seen = see(samples, subject);
    return seen === null ? [] : [{ ...findingOf(code, seen), index: null }];
  });
  const ofEach = SAMPLE_RULES.flatMap(({ code, appliesTo, problem }): SampleFinding[] => {
    if (samples.length === 0 || appliesTo?.(subject) === false) return [];
    const found = samples.flatMap((sample, index): SampleFinding[] => {
      const wrong = problem(sample, subject);
      return wrong === null ? [] : [{ ...findingOf(code, { holds: false, ...wrong }), index }];
    });
    return found.length > 0 ? found : [allPass(code)];
  });
  const findings = [...ofSet, ...ofEach];
  const counts = countFindings(findings);
  return { ...counts, ok: counts.failed === 0, findings };
}

function allPass(code: RegistrationCode): SampleFinding {
  return { ...findingOf(code, { holds: true, detail: "Every example passes." }), index: null };
}

export function countFindings(findings: readonly Finding[]): Counts {
  const count = (level: Finding["level"]) => findings.filter((each) => each.level === level).length;
  return { passed: count("pass"), failed: count("fail"), warnings: count("warn") };
}
