import { Problem, type WebsiteCheck } from "@longwave/contract";
import { KeyedLimiter } from "../../../core/platform/keyed-limiter.ts";
import type { Outgoing, UrlVerdict } from "../../../core/platform/outgoing/index.ts";
import { countFindings } from "../rules/check.ts";
import type { Finding } from "../rules/finding.ts";
import { PAGE_ROLES, type PageRole, type Site, type SitePage, type Subject } from "../site.ts";
import { type Addresses, collectSite } from "./collect.ts";
import { createPageThread, type PageThread, ThreadFailed } from "./page-thread.ts";
import { createWebSource } from "./web-source.ts";

export type CheckOutcome = Omit<WebsiteCheck, "checked_at">;

/** Fetches and checks websites: a bounded number concurrently, each within ten seconds. */
export interface WebsiteChecker {
  /** Whether the checker would ask for this page: private receivers of webhooks are none of its pages. */
  checkUrl(url: string): UrlVerdict;
  collect(addresses: Addresses): Promise<Site>;
  check(addresses: Addresses, subject: Subject): Promise<CheckOutcome>;
  close(): Promise<void>;
}

/** Each check of a site of large pages holds some 10 MB for up to 9 s. */
const CHECKS_AT_ONCE_MAX = 20;
const RETRY_AFTER_SECONDS = 10;

export function createWebsiteChecker(options: {
  readonly outgoing: Outgoing;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): WebsiteChecker {
  const { outgoing, now } = options;
  const thread = createPageThread();
  const source = createWebSource({ outgoing, parser: thread, now });
  const limiter = new KeyedLimiter({
    concurrency: CHECKS_AT_ONCE_MAX,
    waitingMax: 0,
    refuse: tooManyChecks,
  });

  return {
    checkUrl: (url) => outgoing.checkUrl(url, { plainHttp: true, fragment: true }),
    collect: (addresses) => limiter.run("checks", () => collectSite(addresses, source, now)),
    check: (addresses, subject) =>
      limiter.run("checks", async () => {
        const site = await collectSite(addresses, source, now);
        const findings = await evaluate(thread, site, subject);
        return { ...countFindings(findings), urls: urlsOf(site), findings };
      }),
    close: () => thread.close(),
  };
}

function tooManyChecks(): Problem {
  return new Problem(
    "unavailable",
    "Too many websites are being checked right now. Try again in a few seconds.",
    { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
  );
}

/** A site that crashes the rules counts as unreadable: its pages are the cause. */
async function evaluate(thread: PageThread, site: Site, subject: Subject): Promise<Finding[]> {
  try {
    return await thread.check(site, subject);
  } catch (error) {
    if (!(error instanceof ThreadFailed)) throw error;
    const pages = PAGE_ROLES.map((role) => [role, unreadable(site[role])]);
    return await thread.check(Object.fromEntries(pages) as Record<PageRole, SitePage>, subject);
  }
}

function unreadable(page: SitePage): SitePage {
  if (page.facts === null) return page;
  const detail = "The page takes too much time or memory to read.";
  return { ...page, facts: null, problem: { kind: "unreadable", detail } };
}

function urlsOf(site: Site): WebsiteCheck["urls"] {
  const entries = PAGE_ROLES.map((role) => {
    const { url, foundBy, status, finalUrl } = site[role];
    return [role, { url, found_by: foundBy, status, final_url: finalUrl }];
  });
  return Object.fromEntries(entries) as Record<PageRole, WebsiteCheck["urls"]["website"]>;
}
