import type { RegistrationCode } from "@longwave/contract";
import { fold } from "../page/fold.ts";
import { PAGE_MENTIONS_MIN, PROHIBITED } from "./content-words.ts";
import type { Seen } from "./finding.ts";
import {
  allWell,
  defectAt,
  type Look,
  type ReadPage,
  readPageOf,
  type WebsiteRule,
  where,
} from "./look.ts";
import { says, WORDING } from "./wording.ts";

/** What the business is about, as far as carriers mind. */
export const CONTENT_RULES: readonly WebsiteRule[] = [
  ...PROHIBITED.map(
    ([code, words]): WebsiteRule => ({ code, see: (look) => seeProhibited(look, code, words) }),
  ),
  { code: "content.alcohol_age", see: seeAlcohol },
];

function seeProhibited(look: Look, _code: RegistrationCode, words: RegExp): Seen | null {
  const page = readPageOf(look, "website");
  if (page === null) return null;
  const mentions = mentionsOn(page, words);
  const isTitle = fold(page.facts.title).search(words) !== -1;
  const [first] = mentions;
  if (first !== undefined && (isTitle || mentions.length >= PAGE_MENTIONS_MIN)) {
    return defectAt(page, first);
  }
  return allWell(page, "The homepage is not about it.");
}

function mentionsOn(page: ReadPage, words: RegExp): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const match of page.facts.folded.matchAll(words)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (found.length >= PAGE_MENTIONS_MIN) break;
  }
  return found;
}

function seeAlcohol(look: Look): Seen | null {
  const page = readPageOf(look, "website");
  if (page === null) return null;
  const [first] = mentionsOn(page, WORDING.alcohol);
  const isSold =
    says("alcohol", fold(page.facts.title)) ||
    mentionsOn(page, WORDING.alcohol).length >= PAGE_MENTIONS_MIN;
  if (first === undefined || !isSold) return allWell(page, "The homepage is not about alcohol.");
  const gated = [page, readPageOf(look, "opt_in")].some(
    (each) => each !== null && where(each, "age") !== null,
  );
  return gated ? allWell(page, "The age is asked for.") : defectAt(page, first);
}
