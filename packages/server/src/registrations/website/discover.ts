/** Which links of a homepage lead to the other pages, by their words and their addresses in three languages. */
import type { PageFacts, PageLink } from "../page/facts.ts";
import { fold } from "../page/fold.ts";
import { isNotFoundPage } from "../rules/look.ts";
import { says } from "../rules/wording.ts";

const PRIVACY = /\bprivacy|privacidad|confidentialite|vie privee|donnees personnelles|datenschutz/;
const TERMS =
  /\bterms\b|\bterms-|\bconditions\b|terms-?(?:of|and)|\btos\b|\/terms|terminos|condiciones|conditions-generales|\bcgu\b|\bcgv\b/;
const SMS = /\b(?:sms|text|texts|texting|messaging|mobile|mensajes|textos|messages)\b/;
const SMS_TERMS =
  /\b(?:terms|conditions|program|policy|disclosures?|terminos|condiciones|politica)\b/;
const SIGN_UP_FOR_TEXTS =
  /\b(?:sms|text|texts|texting|textos|mensajes de texto)\b[^/]{0,30}\b(?:alerts?|sign-?up|join|club|updates|offers|opt-?in|subscribe|list|reminders?|alertas|suscri\w*|inscri\w*|abonn\w*|rappels|recordatorios)\b|\b(?:sign-? ?up|join|subscribe|get|receive|opt-?in|suscri\w*|recib\w*|recevoir|inscri\w*)\b[^/]{0,30}\b(?:sms|texts?|textos|mensajes de texto)\b|\bopt-?in\b|\/sms\b|\btext us\b/;
const ASKS_FOR_A_NUMBER =
  /\b(?:sign-? ?up|subscribe|join|register|contact|book|booking|appointments?|quote|schedule|get started|newsletter|contacto|reserv\w*|citas?|suscri\w*|registr\w*|inscri\w*|rendez-vous|contacter|abonn\w*)\b/;

interface Words {
  readonly link: PageLink;
  readonly words: string;
}

function wordsOf(facts: PageFacts): Words[] {
  return facts.links.map((link) => ({ link, words: fold(`${link.label} ${pathOf(link.href)}`) }));
}

/** Hyphens and underlines in an address part words, as spaces do in a label. */
function pathOf(href: string): string {
  return ` ${new URL(href).pathname} `
    .replace(/[_-]/g, " ")
    .replace(/\.(?:html?|php|aspx?)\b/g, "");
}

export function privacyLinkOf(home: PageFacts): string | null {
  const links = wordsOf(home).filter(({ words }) => PRIVACY.test(words));
  // "Your privacy choices" and the cookie page are not the policy, if there is another.
  const best =
    links.find(({ words }) => !/cookie|choices|do not sell|opt out/.test(words)) ?? links[0];
  return best?.link.href ?? null;
}

/** Terms of the text messages where there are any, else the terms of service. */
export function termsLinkOf(home: PageFacts): string | null {
  const links = wordsOf(home).filter(({ words }) => !PRIVACY.test(words));
  const ofTexts = links.find(({ words }) => SMS.test(words) && SMS_TERMS.test(words));
  return (ofTexts ?? links.find(({ words }) => TERMS.test(words)))?.link.href ?? null;
}

/** Pages that say of themselves that texts are signed up for there. */
export function optInLinksOf(home: PageFacts): string[] {
  return hrefs(
    wordsOf(home).filter(({ words }) => SIGN_UP_FOR_TEXTS.test(words) && !isPolicy(words)),
  );
}

/** Pages that may well ask for a phone number. */
export function formLinksOf(home: PageFacts): string[] {
  return hrefs(
    wordsOf(home).filter(({ words }) => ASKS_FOR_A_NUMBER.test(words) && !isPolicy(words)),
  );
}

function isPolicy(words: string): boolean {
  return PRIVACY.test(words) || TERMS.test(words) || (SMS.test(words) && SMS_TERMS.test(words));
}

function hrefs(words: readonly Words[]): string[] {
  return [...new Set(words.map(({ link }) => link.href))];
}

/** Where policies usually are, tried when nothing links to them. */
export const USUAL_PATHS = {
  privacy: ["/privacy", "/privacy-policy"],
  terms: ["/terms", "/terms-of-service"],
} as const;

/** Some sites answer every address with their homepage, or with a page that says "not found". */
export function readsLike(role: "privacy" | "terms", facts: PageFacts, home: PageFacts): boolean {
  if (isNotFoundPage(facts) || facts.text === home.text) return false;
  const beginning = `${fold(facts.title)}\n${facts.folded.slice(0, 2_000)}`;
  return says(role === "privacy" ? "privacyPage" : "termsPage", beginning);
}
