import type { RegistrationCode } from "@longwave/contract";
import type { PageFacts } from "../page/facts.ts";
import type { PageRole, Site, SitePage, Subject } from "../site.ts";
import { excerptOf, type Observation, quote } from "./finding.ts";
import { CAPITAL_KEYWORDS, type Concept, findWording, type Match } from "./wording.ts";

/** Input of the page rules. Equal views give equal findings. */
export interface SiteView {
  readonly site: Site;
  readonly subject: Subject;
}

/** A rule on pages: `code` names its subject, `see` returns its observation. */
export interface WebsiteRule {
  readonly code: RegistrationCode;
  readonly evaluate: (view: SiteView) => Observation | null;
}

/** A page that was read. */
export interface ReadPage extends SitePage {
  readonly facts: PageFacts;
  readonly finalUrl: string;
}

export function readPageOf(view: SiteView, role: PageRole): ReadPage | null {
  const page = view.site[role];
  return page.facts === null || page.finalUrl === null ? null : (page as ReadPage);
}

export function foundAt(page: ReadPage, match: Match): Observation {
  const excerpt = excerptOf(page.facts.text, match.start, match.end);
  return { holds: true, detail: `Found: ${quote(excerpt)}`, url: page.finalUrl, excerpt };
}

/** An observation of content that must not be there. */
export function defectAt(page: ReadPage, match: Match): Observation {
  return { ...foundAt(page, match), holds: false };
}

export function missingOn(page: ReadPage, what: string): Observation {
  const chars = page.facts.text.length;
  const read = chars === 0 ? "It shows no text at all." : `${chars} characters of text were read.`;
  return { holds: false, detail: `The page ${what}. ${read}`, url: page.finalUrl };
}

export function passedOn(page: ReadPage, detail: string): Observation {
  return { holds: true, detail, url: page.finalUrl };
}

/** Position of a concept on the page. STOP and HELP also match by their capitals. */
export function locate(page: ReadPage, concept: Concept): Match | null {
  const match = findWording(concept, page.facts.folded);
  if (match !== null || (concept !== "stop" && concept !== "help")) return match;
  const capitals = CAPITAL_KEYWORDS[concept].exec(page.facts.text);
  if (capitals === null) return null;
  return { start: capitals.index, end: capitals.index + capitals[0].length };
}

/** A rule that requires words on a page. */
export function mustSay(
  code: RegistrationCode,
  role: PageRole,
  concept: Concept,
  what: string,
): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const page = checkedPage(view, role);
      if (page === null) return null;
      const match = locate(page, concept);
      return match === null ? missingOn(page, what) : foundAt(page, match);
    },
  };
}

const NOT_FOUND_PAGE = /\b(?:404|page not found|not be found|no encontrada|introuvable)\b/;
const NOT_FOUND_CHARS_MAX = 1_500;

/** Detects "not found" pages, which some sites send with status 200. */
export function isNotFoundPage(facts: Pick<PageFacts, "title" | "text" | "folded">): boolean {
  if (facts.text.length > NOT_FOUND_CHARS_MAX) return false;
  return (
    NOT_FOUND_PAGE.test(facts.title.toLowerCase()) ||
    NOT_FOUND_PAGE.test(facts.folded.slice(0, 400))
  );
}

/** The page, if there is content to check. */
export function checkedPage(view: SiteView, role: PageRole): ReadPage | null {
  const page = readPageOf(view, role);
  return page === null || (role !== "website" && isNotFoundPage(page.facts)) ? null : page;
}
