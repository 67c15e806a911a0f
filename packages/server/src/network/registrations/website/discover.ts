/** Finds a page's links to the other pages, by words and URLs in three languages. */
import { FORM_LEADS_MAX, type PageFacts, type PageLeads, type PageLink } from "../page/facts.ts";
import { fold } from "../page/fold.ts";
import { isNotFoundPage } from "../rules/site-view.ts";
import { says } from "../rules/wording.ts";
import { firstMail } from "./first-mail.ts";

const PRIVACY = /\bprivacy|privacidad|confidentialite|vie privee|donnees personnelles|datenschutz/;
const NO_POLICY = /cookie|choices|do not sell|opt out/;
const TERMS =
  /\bterms\b|\bterms-|\bconditions\b|terms-?(?:of|and)|\btos\b|\/terms|terminos|condiciones|conditions-generales|\bcgu\b|\bcgv\b/;
const SMS = /\b(?:sms|text|texts|texting|messaging|mobile|mensajes|textos|messages)\b/;
const SMS_TERMS =
  /\b(?:terms|conditions|program|policy|disclosures?|terminos|condiciones|politica)\b/;
const SIGN_UP_FOR_TEXTS =
  /\b(?:sms|text|texts|texting|textos|mensajes de texto)\b[^/]{0,30}\b(?:alerts?|sign-?up|join|club|updates|offers|opt-?in|subscribe|list|reminders?|alertas|suscri\w*|inscri\w*|abonn\w*|rappels|recordatorios)\b|\b(?:sign-? ?up|join|subscribe|get|receive|opt-?in|suscri\w*|recib\w*|recevoir|inscri\w*)\b[^/]{0,30}\b(?:sms|texts?|textos|mensajes de texto)\b|\bopt-?in\b|\/sms\b|\btext us\b/;
const ASKS_FOR_A_NUMBER =
  /\b(?:sign-? ?up|subscribe|join|register|contact|book|booking|appointments?|quote|schedule|get started|newsletter|contacto|reserv\w*|citas?|suscri\w*|registr\w*|inscri\w*|rendez-vous|contacter|abonn\w*)\b/;

/** All leads of a page. Reads whole pages, so it runs in the parser thread. */
export function leadsOf(facts: Omit<PageFacts, "leads">): PageLeads {
  const links = facts.links.map((link) => ({ href: link.href, words: wordsOf(link) }));
  const first = (matches: (words: string) => boolean) =>
    links.find(({ words }) => matches(words))?.href ?? null;
  const isPrivacy = (words: string) => PRIVACY.test(words);
  const isOfTexts = (words: string) => SMS.test(words) && SMS_TERMS.test(words);
  const isPolicy = (words: string) => isPrivacy(words) || TERMS.test(words) || isOfTexts(words);
  const forms = links.filter(({ words }) => ASKS_FOR_A_NUMBER.test(words) && !isPolicy(words));
  return {
    // "Your privacy choices" and the cookie page are not the policy, if there is another.
    privacy: {
      best: first((words) => isPrivacy(words) && !NO_POLICY.test(words)),
      any: first(isPrivacy),
    },
    terms: {
      ofTexts: first((words) => !isPrivacy(words) && isOfTexts(words)),
      any: first((words) => !isPrivacy(words) && TERMS.test(words)),
    },
    optIn: first((words) => SIGN_UP_FOR_TEXTS.test(words) && !isPolicy(words)),
    forms: [...new Set(forms.map(({ href }) => href))].slice(0, FORM_LEADS_MAX),
    mail: firstMail(facts.text),
    isNotFound: isNotFoundPage(facts),
    readsLike: { privacy: beginsAs("privacyPage", facts), terms: beginsAs("termsPage", facts) },
  };
}

function wordsOf({ label, href }: PageLink): string {
  return fold(`${label} ${pathOf(href)}`);
}

/** Hyphens and underscores separate words in a URL, as spaces do in a label. */
function pathOf(href: string): string {
  return ` ${new URL(href).pathname} `
    .replace(/[_-]/g, " ")
    .replace(/\.(?:html?|php|aspx?)\b/g, "");
}

function beginsAs(
  concept: "privacyPage" | "termsPage",
  { title, folded }: Pick<PageFacts, "title" | "folded">,
): boolean {
  return says(concept, `${fold(title)}\n${folded.slice(0, 2_000)}`);
}

/** Leads of a page and of a frame in it, as if they were one page. */
export function joinedLeads(page: PageLeads, frame: PageLeads): PageLeads {
  return {
    privacy: {
      best: page.privacy.best ?? frame.privacy.best,
      any: page.privacy.any ?? frame.privacy.any,
    },
    terms: {
      ofTexts: page.terms.ofTexts ?? frame.terms.ofTexts,
      any: page.terms.any ?? frame.terms.any,
    },
    optIn: page.optIn ?? frame.optIn,
    forms: [...new Set([...page.forms, ...frame.forms])].slice(0, FORM_LEADS_MAX),
    mail: page.mail ?? frame.mail,
    isNotFound: page.isNotFound,
    readsLike: page.readsLike,
  };
}

export function privacyLinkOf({ leads: { privacy } }: PageFacts): string | null {
  return privacy.best ?? privacy.any;
}

/** Terms of text messages if present, else the terms of service. */
export function termsLinkOf({ leads: { terms } }: PageFacts): string | null {
  return terms.ofTexts ?? terms.any;
}

/** Usual policy paths, tried when nothing links to a policy. */
export const USUAL_PATHS = {
  privacy: ["/privacy", "/privacy-policy"],
  terms: ["/terms", "/terms-of-service"],
} as const;

/** Some sites answer every URL with their homepage, or with a "not found" page. */
export function readsLike(role: "privacy" | "terms", facts: PageFacts, home: PageFacts): boolean {
  if (facts.leads.isNotFound || facts.text === home.text) return false;
  return facts.leads.readsLike[role];
}
