import type { RegistrationCode } from "@longwave/contract";
import type { PageFacts } from "../page/facts.ts";
import type { PageRole, Site, SitePage, Subject } from "../site.ts";
import { excerptOf, quote, type Seen } from "./finding.ts";
import { CAPITAL_KEYWORDS, type Concept, findWording, type Match } from "./wording.ts";

/** What the rules on pages look at: the same look gives the same findings, always. */
export interface Look {
  readonly site: Site;
  readonly subject: Subject;
}

/** A rule explains itself: its code says what it is about, `see` what it saw. */
export interface WebsiteRule {
  readonly code: RegistrationCode;
  readonly see: (look: Look) => Seen | null;
}

/** A page that could be read. */
export interface ReadPage extends SitePage {
  readonly facts: PageFacts;
  readonly finalUrl: string;
}

export function readPageOf(look: Look, role: PageRole): ReadPage | null {
  const page = look.site[role];
  return page.facts === null || page.finalUrl === null ? null : (page as ReadPage);
}

export function foundAt(page: ReadPage, match: Match): Seen {
  const excerpt = excerptOf(page.facts.text, match.start, match.end);
  return { holds: true, detail: `Found: ${quote(excerpt)}`, url: page.finalUrl, excerpt };
}

/** Something that must not be there. */
export function defectAt(page: ReadPage, match: Match): Seen {
  return { ...foundAt(page, match), holds: false };
}

export function missingOn(page: ReadPage, what: string): Seen {
  const chars = page.facts.text.length;
  const read = chars === 0 ? "It shows no text at all." : `${chars} characters of text were read.`;
  return { holds: false, detail: `The page ${what}. ${read}`, url: page.finalUrl };
}

export function allWell(page: ReadPage, detail: string): Seen {
  return { holds: true, detail, url: page.finalUrl };
}

/** Where the page says it; STOP and HELP also by their capitals. */
export function where(page: ReadPage, concept: Concept): Match | null {
  const match = findWording(concept, page.facts.folded);
  if (match !== null || (concept !== "stop" && concept !== "help")) return match;
  const capitals = CAPITAL_KEYWORDS[concept].exec(page.facts.text);
  if (capitals === null) return null;
  return { start: capitals.index, end: capitals.index + capitals[0].length };
}

/** A rule that asks for words on a page. */
export function mustSay(
  code: RegistrationCode,
  role: PageRole,
  concept: Concept,
  what: string,
): WebsiteRule {
  return {
    code,
    see: (look) => {
      const page = judgedPage(look, role);
      if (page === null) return null;
      const match = where(page, concept);
      return match === null ? missingOn(page, what) : foundAt(page, match);
    },
  };
}

const NOT_FOUND_PAGE = /\b(?:404|page not found|not be found|no encontrada|introuvable)\b/;
const NOT_FOUND_CHARS_MAX = 1_500;

/** Some sites answer "not found" with status 200. */
export function isNotFoundPage(facts: PageFacts): boolean {
  if (facts.text.length > NOT_FOUND_CHARS_MAX) return false;
  return (
    NOT_FOUND_PAGE.test(facts.title.toLowerCase()) ||
    NOT_FOUND_PAGE.test(facts.folded.slice(0, 400))
  );
}

/** The page, unless there is nothing to judge on it. */
export function judgedPage(look: Look, role: PageRole): ReadPage | null {
  const page = readPageOf(look, role);
  return page === null || (role !== "website" && isNotFoundPage(page.facts)) ? null : page;
}
