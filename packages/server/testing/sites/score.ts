import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSamples, checkSite } from "../../src/network/registrations/rules/check.ts";
import type { Subject, UseCase } from "../../src/network/registrations/site.ts";
import { collectSite } from "../../src/network/registrations/website/collect.ts";
import {
  createFolderSource,
  FOLDER_ORIGIN,
} from "../../src/network/registrations/website/folder-source.ts";
import { CORPUS, type CorpusSite } from "./corpus.ts";
import { writeCorpus } from "./write.ts";

export interface RuleScore {
  readonly code: string;
  readonly planted: number;
  readonly found: number;
  /** Findings on sites without the planted defect. */
  readonly wrong: number;
}

export interface SiteScore {
  readonly site: CorpusSite;
  /** Warnings and failures on the pages. */
  readonly found: readonly string[];
  readonly failing: readonly string[];
  readonly sampleProblems: readonly string[];
}

/** Checks one folder of the corpus as the server would check its website. */
async function checkFolder(folder: string, site: CorpusSite): Promise<SiteScore> {
  const subject: Subject = {
    businessName: site.business.name,
    website: `${FOLDER_ORIGIN}/`,
    useCase: site.business.useCase as UseCase,
    brand: {},
  };
  const addresses = { website: subject.website, privacyUrl: null, termsUrl: null, optInUrl: null };
  const pages = await collectSite(addresses, createFolderSource(folder), () => performance.now());
  const findings = checkSite(pages, subject).filter(({ level }) => level !== "pass");
  const samples = checkSamples(site.business.samples, subject).findings;
  return {
    site,
    found: findings.map(({ code }) => code),
    failing: findings.filter(({ level }) => level === "fail").map(({ code }) => code),
    sampleProblems: samples.filter(({ level }) => level !== "pass").map(({ code }) => code),
  };
}

export async function scoreCorpus(): Promise<{
  sites: SiteScore[];
  rules: RuleScore[];
  ms: number;
}> {
  const folder = mkdtempSync(join(tmpdir(), "longwave-corpus-"));
  try {
    writeCorpus(folder);
    const startedAt = performance.now();
    const sites: SiteScore[] = [];
    for (const site of CORPUS) sites.push(await checkFolder(join(folder, site.name), site));
    return { sites, rules: rulesOf(sites), ms: performance.now() - startedAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rulesOf(sites: readonly SiteScore[]): RuleScore[] {
  const codes = [...new Set(sites.flatMap(({ site, found }) => [...site.expected, ...found]))].sort(
    (one, other) => one.localeCompare(other),
  );
  return codes.map((code) => {
    const planted = sites.filter(({ site }) => site.expected.includes(code));
    const found = planted.filter((site) => site.found.includes(code)).length;
    const wrong = sites.filter(
      ({ site, found: all }) => all.includes(code) && !site.expected.includes(code),
    ).length;
    return { code, planted: planted.length, found, wrong };
  });
}

export function scoreTable(rules: readonly RuleScore[]): string {
  const lines = rules.map(({ code, planted, found, wrong }) => {
    const precision = found + wrong === 0 ? 1 : found / (found + wrong);
    const recall = planted === 0 ? 1 : found / planted;
    return `${code.padEnd(32)}${String(planted).padStart(8)}${precision.toFixed(2).padStart(11)}${recall.toFixed(2).padStart(8)}`;
  });
  return [`${"rule".padEnd(32)} planted  precision  recall`, ...lines].join("\n");
}
