import { Problem, type WebsiteCheck } from "@longwave/contract";
import type { Outgoing } from "../../platform/outgoing/index.ts";
import type { Finding } from "../rules/finding.ts";
import { countFindings } from "../rules/judge.ts";
import { PAGE_ROLES, type PageRole, type Site, type SitePage, type Subject } from "../site.ts";
import { type Addresses, collectSite } from "./collect.ts";
import { createPageThread, type PageThread, ThreadFailed } from "./page-thread.ts";
import { createWebSource } from "./web-source.ts";

export type CheckOutcome = Omit<WebsiteCheck, "checked_at">;

/** Reads and judges websites: at most so many at once, each within ten seconds. */
export interface WebsiteChecker {
  collect(addresses: Addresses): Promise<Site>;
  check(addresses: Addresses, subject: Subject): Promise<CheckOutcome>;
  close(): Promise<void>;
}

const CHECKS_AT_ONCE_MAX = 50;
const RETRY_AFTER_SECONDS = 10;

export function createWebsiteChecker(options: {
  readonly outgoing: Outgoing;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): WebsiteChecker {
  const { outgoing, now } = options;
  const thread = createPageThread();
  const source = createWebSource({ outgoing, parser: thread, now });
  let running = 0;

  async function withRoom<T>(work: () => Promise<T>): Promise<T> {
    if (running >= CHECKS_AT_ONCE_MAX) {
      throw new Problem(
        "unavailable",
        "Too many websites are being checked right now. Try again in a few seconds.",
        {
          headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
        },
      );
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  }

  return {
    collect: (addresses) => withRoom(() => collectSite(addresses, source, now)),
    check: (addresses, subject) =>
      withRoom(async () => {
        const site = await collectSite(addresses, source, now);
        const findings = await judged(thread, site, subject);
        return { ...countFindings(findings), urls: urlsOf(site), findings };
      }),
    close: () => thread.close(),
  };
}

/** A site that cannot be judged is told as one that cannot be read: its pages are what keeps the rules from ending. */
async function judged(thread: PageThread, site: Site, subject: Subject): Promise<Finding[]> {
  try {
    return await thread.judge(site, subject);
  } catch (error) {
    if (!(error instanceof ThreadFailed)) throw error;
    const pages = PAGE_ROLES.map((role) => [role, unreadable(site[role])]);
    return await thread.judge(Object.fromEntries(pages) as Record<PageRole, SitePage>, subject);
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
