import type { RegistrationCode } from "@longwave/contract";
import { fold } from "../page/fold.ts";
import { PAGE_MENTIONS_MIN, PROHIBITED } from "./content-words.ts";
import type { Observation } from "./finding.ts";
import {
  defectAt,
  locate,
  passedOn,
  type ReadPage,
  readPageOf,
  type SiteView,
  type WebsiteRule,
} from "./site-view.ts";
import { says, WORDING } from "./wording.ts";

/** Rules on the business's content, as far as carriers restrict it. */
export const CONTENT_RULES: readonly WebsiteRule[] = [
  ...PROHIBITED.map(
    ([code, words]): WebsiteRule => ({
      code,
      evaluate: (view) => seeProhibited(view, code, words),
    }),
  ),
  { code: "content.alcohol_age", evaluate: seeAlcohol },
];

function seeProhibited(view: SiteView, _code: RegistrationCode, words: RegExp): Observation | null {
  const page = readPageOf(view, "website");
  if (page === null) return null;
  const mentions = mentionsOn(page, words);
  const isTitle = fold(page.facts.title).search(words) !== -1;
  const [first] = mentions;
  if (first !== undefined && (isTitle || mentions.length >= PAGE_MENTIONS_MIN)) {
    return defectAt(page, first);
  }
  return passedOn(page, "The homepage is not about it.");
}

function mentionsOn(page: ReadPage, words: RegExp): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const match of page.facts.folded.matchAll(words)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (found.length >= PAGE_MENTIONS_MIN) break;
  }
  return found;
}

function seeAlcohol(view: SiteView): Observation | null {
  const page = readPageOf(view, "website");
  if (page === null) return null;
  const [first] = mentionsOn(page, WORDING.alcohol);
  const isSold =
    says("alcohol", fold(page.facts.title)) ||
    mentionsOn(page, WORDING.alcohol).length >= PAGE_MENTIONS_MIN;
  if (first === undefined || !isSold) return passedOn(page, "The homepage is not about alcohol.");
  const gated = [page, readPageOf(view, "opt_in")].some(
    (each) => each !== null && locate(each, "age") !== null,
  );
  return gated ? passedOn(page, "The age is asked for.") : defectAt(page, first);
}
