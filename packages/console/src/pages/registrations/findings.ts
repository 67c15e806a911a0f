import type { Registration, RegistrationFinding } from "@longwave/sdk";

export interface Finding extends Omit<RegistrationFinding, "code"> {
  readonly code: string;
  /** Source of the finding: a page, the sample messages, or the organization. */
  readonly area: Area;
  /** Number of the sample message, from 1. */
  readonly sample: number | null;
}

export const AREAS = ["website", "privacy", "terms", "optin", "samples", "other"] as const;
export type Area = (typeof AREAS)[number];

export const AREA_WORDS: Readonly<Record<Area, string>> = {
  website: "Website",
  privacy: "Privacy policy",
  terms: "Terms",
  optin: "Opt-in page",
  samples: "Examples",
  other: "Business and content",
};

const LEVEL_RANK = { fail: 0, warn: 1, pass: 2 } as const;

function areaOf(code: string): Area {
  const head = code.split(".")[0] ?? "";
  return (AREAS as readonly string[]).includes(head) ? (head as Area) : "other";
}

/** All findings, most severe first. */
export function findingsOf(registration: Registration): Finding[] {
  const found: Finding[] = [
    ...(registration.check?.findings ?? []).map((each) => ({ ...each, sample: null })),
    ...registration.sample_check.findings.map(({ index, ...each }) => ({
      ...each,
      sample: index === null ? null : index + 1,
    })),
  ].map((each) => ({ ...each, area: areaOf(each.code) }));
  return found.toSorted((a, b) => LEVEL_RANK[a.level] - LEVEL_RANK[b.level]);
}

/** Areas of findings, sorted like `findingsOf`: those with the most severe findings first. */
export function areasOf(findings: readonly Finding[]): Area[] {
  const worst = (area: Area) =>
    Math.min(
      ...findings.filter((each) => each.area === area).map(({ level }) => LEVEL_RANK[level]),
    );
  return AREAS.filter((area) => findings.some((each) => each.area === area)).toSorted(
    (a, b) => worst(a) - worst(b),
  );
}

export interface CheckDiff {
  readonly fixed: readonly Finding[];
  readonly fresh: readonly Finding[];
}

const keyOf = (each: Finding) => `${each.code} ${each.sample ?? ""}`;

/** Complaints that a recheck resolved, and complaints that it added. */
export function diffOf(before: readonly Finding[], after: readonly Finding[]): CheckDiff {
  const complaints = (all: readonly Finding[]) => all.filter((each) => each.level !== "pass");
  const had = new Set(complaints(before).map(keyOf));
  const has = new Set(complaints(after).map(keyOf));
  return {
    fixed: complaints(before).filter((each) => !has.has(keyOf(each))),
    fresh: complaints(after).filter((each) => !had.has(keyOf(each))),
  };
}
