import type { Outgoing } from "../../../core/platform/outgoing/index.ts";
import { guessName } from "../guess-name.ts";
import { checkSamples, checkSite, countFindings } from "../rules/check.ts";
import type { SampleFinding } from "../rules/finding.ts";
import type { Site, Subject } from "../site.ts";
import { collectSite } from "../website/collect.ts";
import { createFolderSource, FOLDER_ORIGIN } from "../website/folder-source.ts";
import { parserOfThisThread } from "../website/page-parser.ts";
import { createWebSource } from "../website/web-source.ts";
import type { LintOptions } from "./options.ts";
import { humanReport, jsonReport, type LintReport } from "./report.ts";
import { sarifReport } from "./sarif.ts";

export interface LintTools {
  /** HTTP client with SSRF protection; unused for folders. */
  readonly outgoing: Pick<Outgoing, "readPage">;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
}

/** Checks a website or a folder and prints the findings. True when none fails. */
export async function lintRegistration(options: LintOptions, tools: LintTools): Promise<boolean> {
  const report = await reportOf(options, tools);
  const format = { people: humanReport, json: jsonReport, sarif: sarifReport }[options.format];
  tools.print(format(report));
  return report.failed === 0;
}

async function reportOf(options: LintOptions, tools: LintTools): Promise<LintReport> {
  const site = await siteOf(options, tools);
  const website = options.website ?? `${FOLDER_ORIGIN}/`;
  const homepage = site.website.facts;
  const guessed = homepage === null ? "" : guessName(homepage, website);
  const businessName = options.businessName ?? guessed;
  const subject: Subject = { businessName, website, useCase: options.useCase, brand: {} };
  const findings = [...pageFindings(site, subject), ...sampleFindings(options, subject)];
  return {
    businessName,
    isNameGuessed: options.businessName === null,
    site,
    findings,
    samples: options.samples,
    ...countFindings(findings),
  };
}

async function siteOf(options: LintOptions, { outgoing, now }: LintTools): Promise<Site> {
  const { folder, website, privacyUrl, termsUrl, optInUrl } = options;
  if (folder === null) {
    const source = createWebSource({ outgoing, parser: parserOfThisThread, now });
    return await collectSite(
      { website: website ?? "", privacyUrl, termsUrl, optInUrl },
      source,
      now,
    );
  }
  const inFolder = (url: string | null) =>
    url === null ? null : new URL(url, `${FOLDER_ORIGIN}/`).href;
  const addresses = {
    website: `${FOLDER_ORIGIN}/`,
    privacyUrl: inFolder(privacyUrl),
    termsUrl: inFolder(termsUrl),
    optInUrl: inFolder(optInUrl),
  };
  return await collectSite(addresses, createFolderSource(folder), now);
}

function pageFindings(site: Site, subject: Subject): SampleFinding[] {
  return checkSite(site, subject).map((finding) => ({ ...finding, index: null }));
}

function sampleFindings({ samples, website }: LintOptions, subject: Subject): SampleFinding[] {
  if (samples === null) return [];
  const { findings } = checkSamples(samples, subject);
  // A folder has no domain to compare links with.
  return findings.filter(({ code }) => website !== null || code !== "samples.link_domain");
}
