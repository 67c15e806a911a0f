/**
 * Fetches a website's four pages: given URLs directly, the others by the homepage's links. One
 * deadline covers all; a homepage that hangs leaves time for the given pages.
 */
import type { FoundBy, PageRole, Site, SitePage } from "../site.ts";
import { privacyLinkOf, readsLike, termsLinkOf, USUAL_PATHS } from "./discover.ts";
import { withFrames } from "./frames.ts";
import type { PageRead, PageSource } from "./source.ts";

export interface Addresses {
  readonly website: string;
  readonly privacyUrl: string | null;
  readonly termsUrl: string | null;
  readonly optInUrl: string | null;
}

/** Ten seconds in all, less the time for checking and answering. */
const CHECK_MS_MAX = 9_000;
const HOMEPAGE_MS_MAX = 5_000;
const FRAMES_READ_MAX = 3;

interface Collecting {
  readonly source: PageSource;
  readonly leftMs: () => number;
}

/** `now`: monotonic milliseconds. */
export async function collectSite(
  addresses: Addresses,
  source: PageSource,
  now: () => number,
): Promise<Site> {
  const deadlineAtMs = now() + CHECK_MS_MAX;
  const leftMs = () => Math.max(0, deadlineAtMs - now());
  const collecting = { source, leftMs };
  const first = await source.read(addresses.website, Math.min(leftMs(), HOMEPAGE_MS_MAX));
  const home = await readFrames(collecting, first);
  const [privacy, terms, optIn] = await Promise.all([
    policy(collecting, "privacy", addresses.privacyUrl, home, privacyLinkOf),
    policy(collecting, "terms", addresses.termsUrl, home, termsLinkOf),
    optInPage(collecting, addresses.optInUrl, home),
  ]);
  return { website: pageOf("website", "given", home), privacy, terms, opt_in: optIn };
}

async function policy(
  collecting: Collecting,
  role: "privacy" | "terms",
  given: string | null,
  home: PageRead,
  linkOf: (facts: NonNullable<PageRead["facts"]>) => string | null,
): Promise<SitePage> {
  if (given !== null) return await open(collecting, role, "given", given);
  if (home.facts === null) return none(role);
  const link = linkOf(home.facts);
  if (link !== null) return await open(collecting, role, "link", link);
  for (const path of USUAL_PATHS[role]) {
    const url = new URL(path, home.finalUrl ?? home.url).href;
    const read = await collecting.source.read(url, collecting.leftMs());
    if (read.facts !== null && readsLike(role, read.facts, home.facts))
      return pageOf(role, "guess", read);
  }
  return none(role);
}

async function optInPage(
  collecting: Collecting,
  given: string | null,
  home: PageRead,
): Promise<SitePage> {
  if (given !== null) return await open(collecting, "opt_in", "given", given);
  if (home.facts === null) return none("opt_in");
  const { optIn, forms } = home.facts.leads;
  if (optIn !== null) return await open(collecting, "opt_in", "link", optIn);
  if (asksForNumber(home)) return pageOf("opt_in", "guess", home);
  for (const url of forms) {
    const read = await readFrames(
      collecting,
      await collecting.source.read(url, collecting.leftMs()),
    );
    if (asksForNumber(read)) return pageOf("opt_in", "link", read);
  }
  return none("opt_in");
}

function asksForNumber({ facts }: PageRead): boolean {
  return facts?.fields.some(({ kind }) => kind === "phone") ?? false;
}

async function open(
  collecting: Collecting,
  role: PageRole,
  foundBy: FoundBy,
  url: string,
): Promise<SitePage> {
  const read = await collecting.source.read(url, collecting.leftMs());
  return pageOf(role, foundBy, await readFrames(collecting, read));
}

/** Content of frames belongs to the page; unreadable frames are skipped. */
async function readFrames({ source, leftMs }: Collecting, read: PageRead): Promise<PageRead> {
  if (read.facts === null || read.facts.frames.length === 0) return read;
  const urls = read.facts.frames.slice(0, FRAMES_READ_MAX);
  const frames = await Promise.all(urls.map((url) => source.read(url, leftMs())));
  const shown = frames.flatMap(({ facts }) => (facts === null ? [] : [facts]));
  return { ...read, facts: withFrames(read.facts, shown) };
}

function pageOf(role: PageRole, foundBy: FoundBy, read: PageRead): SitePage {
  const { url, finalUrl, status, problem, cut, facts } = read;
  return { role, url, foundBy, status, finalUrl, problem, cut, facts };
}

function none(role: PageRole): SitePage {
  return {
    role,
    url: null,
    foundBy: "none",
    status: null,
    finalUrl: null,
    problem: null,
    cut: false,
    facts: null,
  };
}
