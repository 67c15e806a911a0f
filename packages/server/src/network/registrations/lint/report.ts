import type { Counts } from "../rules/check.ts";
import type { SampleFinding } from "../rules/finding.ts";
import { PAGE_ROLES, type Site } from "../site.ts";
import { shownAddress } from "../website/folder-source.ts";

export interface LintReport extends Counts {
  readonly businessName: string;
  /** Whether the name comes from the homepage instead of an option. */
  readonly isNameGuessed: boolean;
  readonly site: Site;
  /** `index` is null for findings on pages and on all examples. */
  readonly findings: readonly SampleFinding[];
  readonly samples: readonly string[] | null;
}

export function humanReport(report: LintReport): string {
  const shown = report.findings.filter(({ level }) => level !== "pass");
  const named = report.isNameGuessed ? " (taken from the page; give --business-name)" : "";
  return [
    `Business name: ${report.businessName}${named}`,
    ...PAGE_ROLES.map((role) => pageLine(report.site, role)),
    "",
    ...shown.flatMap(findingLines),
    `${count(report.failed, "failing finding")}, ${count(report.warnings, "warning")}, ${report.passed} passed.`,
    ...(report.samples === null ? ["No examples were given; --samples checks them, too."] : []),
  ].join("\n");
}

function pageLine(site: Site, role: (typeof PAGE_ROLES)[number]): string {
  const { url, finalUrl, foundBy } = site[role];
  const where = url === null ? "not found" : `${shownAddress(finalUrl ?? url)} (${foundBy})`;
  return `${role.padEnd(8)} ${where}`;
}

function findingLines(finding: SampleFinding): string[] {
  return [
    `${finding.level}  ${finding.code}  ${finding.title}`,
    `      ${locationOf(finding)}: ${finding.detail}`,
    ...(finding.fix === null ? [] : [`      ${finding.fix}`]),
    "",
  ];
}

function locationOf({ url, index }: SampleFinding): string {
  if (index !== null) return `example ${index + 1}`;
  return url === null ? "registration" : shownAddress(url);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

export function jsonReport(report: LintReport): string {
  const urls = PAGE_ROLES.map((role) => {
    const { url, foundBy, status, finalUrl } = report.site[role];
    return [role, { url, found_by: foundBy, status, final_url: finalUrl }];
  });
  const { passed, failed, warnings, findings } = report;
  return JSON.stringify(
    {
      business_name: report.businessName,
      passed,
      failed,
      warnings,
      urls: Object.fromEntries(urls),
      findings,
    },
    null,
    2,
  );
}
