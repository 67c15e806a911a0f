import { Problem, type WebsiteCheck } from "@longwave/contract";
import type { Outgoing } from "../../platform/outgoing/index.ts";
import { countFindings } from "../rules/judge.ts";
import { PAGE_ROLES, type PageRole, type Site, type Subject } from "../site.ts";
import { type Addresses, collectSite } from "./collect.ts";
import { createPageThread } from "./page-thread.ts";
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
        const findings = await thread.judge(site, subject);
        return { ...countFindings(findings), urls: urlsOf(site), findings };
      }),
    close: () => thread.close(),
  };
}

function urlsOf(site: Site): WebsiteCheck["urls"] {
  const entries = PAGE_ROLES.map((role) => {
    const { url, foundBy, status, finalUrl } = site[role];
    return [role, { url, found_by: foundBy, status, final_url: finalUrl }];
  });
  return Object.fromEntries(entries) as Record<PageRole, WebsiteCheck["urls"]["website"]>;
}
