import type { Outgoing } from "../../platform/outgoing/index.ts";
import { guessName } from "../guess-name.ts";
import type { SampleFinding } from "../rules/finding.ts";
import { countFindings, judgeSamples, judgeSite } from "../rules/judge.ts";
import type { Site, Subject } from "../site.ts";
import { collectSite } from "../website/collect.ts";
import { createFolderSource, FOLDER_ORIGIN } from "../website/folder-source.ts";
import { parserOfThisThread } from "../website/page-parser.ts";
import { createWebSource } from "../website/web-source.ts";
import type { LintOptions } from "./options.ts";
import { jsonText, type LintReport, peopleText } from "./report.ts";
import { sarifText } from "./sarif.ts";

export interface LintTools {
  /** The one door out; not used for folders. */
  readonly outgoing: Pick<Outgoing, "readPage">;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
}

/** Judges a website or a folder and prints what was found. True when nothing fails. */
export async function lintRegistration(options: LintOptions, tools: LintTools): Promise<boolean> {
  const report = await reportOf(options, tools);
  const textOf = { people: peopleText, json: jsonText, sarif: sarifText }[options.format];
  tools.print(textOf(report));
  return report.failed === 0;
}

async function reportOf(options: LintOptions, tools: LintTools): Promise<LintReport> {
  const site = await siteOf(options, tools);
  const website = options.website ?? `${FOLDER_ORIGIN}/`;
  const homepage = site.website.facts;
  const guessed = homepage === null ? "" : guessName(homepage, website);
  const businessName = options.businessName ?? guessed;
  const subject: Subject = { businessName, website, useCase: options.useCase, brand: {} };
  const findings = [...ofPages(site, subject), ...ofSamples(options, subject)];
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

function ofPages(site: Site, subject: Subject): SampleFinding[] {
  return judgeSite(site, subject).map((finding) => ({ ...finding, index: null }));
}

function ofSamples({ samples, website }: LintOptions, subject: Subject): SampleFinding[] {
  if (samples === null) return [];
  const { findings } = judgeSamples(samples, subject);
  // A folder has no domain that links could be compared with.
  return findings.filter(({ code }) => website !== null || code !== "samples.link_domain");
}
