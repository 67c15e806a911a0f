import type { RegistrationCode } from "@longwave/contract";
import type { PageBox } from "../page/facts.ts";
import { fold } from "../page/fold.ts";
import { excerptOf, type Observation, quote } from "./finding.ts";
import { namesBusiness } from "./names.ts";
import { opens, privacyLink } from "./policy-rules.ts";
import {
  checkedPage,
  defectAt,
  foundAt,
  locate,
  missingOn,
  mustSay,
  passedOn,
  type ReadPage,
  readPageOf,
  type SiteView,
  type WebsiteRule,
} from "./site-view.ts";
import { findWording, type Match, says } from "./wording.ts";

/** Rules on the opt-in page, where people enter their number. */
export const OPT_IN_RULES: readonly WebsiteRule[] = [
  { code: "optin.url_missing", evaluate: seeUrl },
  opens("optin.down", "opt_in"),
  optIn("optin.unverifiable", (page) => {
    const hasPassword = page.facts.fields.some(({ kind }) => kind === "password");
    if (hasPassword && phoneField(page) === undefined) {
      return missingOn(page, "asks for a password and has no phone number field");
    }
    return passedOn(page, "The page asks for no password, or shows the phone number field.");
  }),
  optIn("optin.phone_field_missing", (page) => {
    const field = phoneField(page);
    if (field !== undefined) {
      const named = field.label === "" ? "" : ` ${quote(field.label.slice(0, 80))}`;
      return passedOn(page, `The page has a phone number field${named}.`);
    }
    const keyword = locate(page, "keywordOptIn");
    return keyword === null
      ? missingOn(page, "has no field for a phone number")
      : foundAt(page, keyword);
  }),
  optIn("optin.express_consent", (page) => {
    const consent = consentOn(page);
    return consent === null
      ? missingOn(page, "shows no words by which people agree to get messages")
      : foundAt(page, consent);
  }),
  optIn("optin.hidden_text", (page) => elsewhere(page, page.facts.hiddenText, "hidden")),
  optIn("optin.text_in_image", (page) => elsewhere(page, page.facts.imageText, "part of an image")),
  optIn("optin.prechecked", seePrechecked),
  consenting("optin.channel_missing", (words) =>
    says("channel", fold(words)) ? null : "The consent does not say text message or SMS",
  ),
  optIn("optin.name_missing", (page, { subject }) => {
    const isNamed = namesBusiness(
      `${page.facts.text}\n${page.facts.imageText}`,
      subject.businessName,
    );
    return isNamed
      ? passedOn(page, `The page names “${subject.businessName}”.`)
      : missingOn(page, `does not name “${subject.businessName}”`);
  }),
  consenting("optin.purpose_missing", (words) =>
    says("purpose", fold(words)) ? null : "The consent does not say what the messages are about",
  ),
  mustSay(
    "optin.frequency_missing",
    "opt_in",
    "frequency",
    "does not say how often messages are sent",
  ),
  mustSay(
    "optin.rates_missing",
    "opt_in",
    "rates",
    "does not say that message and data rates may apply",
  ),
  mustSay("optin.help_missing", "opt_in", "help", "does not say that HELP gives help"),
  mustSay("optin.stop_missing", "opt_in", "stop", "does not say that STOP ends the messages"),
  optIn("optin.privacy_link_missing", (page) => {
    const link = privacyLink(page);
    return link === undefined
      ? missingOn(page, "has no link to a privacy policy")
      : passedOn(page, `The page links to ${link.href}.`);
  }),
  optIn("optin.terms_link_missing", (page) => {
    const link = page.facts.links.find(({ href, label }) =>
      TERMS_LINK.test(fold(`${href} ${label}`)),
    );
    return link === undefined
      ? missingOn(page, "has no link to terms")
      : passedOn(page, `The page links to ${link.href}.`);
  }),
  consenting("optin.bundled", (words, page) => {
    const box = consentBox(page);
    const folded = fold(box === undefined ? words : box.label);
    const isBundled = says("channel", folded) && says("otherChannels", folded);
    return isBundled ? "One consent covers texts and other channels" : null;
  }),
  optIn("optin.forced", (page) => {
    const box = page.facts.boxes.find((each) => each.required && says("channel", fold(each.label)));
    if (box !== undefined) return boxDefect(page, box, "The box for texts must be checked");
    const match = locate(page, "forced");
    return match === null ? passedOn(page, "Nothing forces consent.") : defectAt(page, match);
  }),
  consenting("optin.third_parties", (words) =>
    says("thirdParties", fold(words)) ? "The consent names others beside the business" : null,
  ),
  optIn("optin.separate_consent", (page) => {
    const donation = locate(page, "donation");
    const isOne =
      donation !== null && phoneField(page) !== undefined && page.facts.boxes.length === 0;
    return isOne ? defectAt(page, donation) : passedOn(page, "No donation is tied to consent.");
  }),
  optIn("optin.insecure_form", (page) => {
    const insecure = page.facts.forms.find(
      (form, index) =>
        form.action?.startsWith("http:") && page.facts.fields.some((field) => field.form === index),
    );
    const isKnownPlain = page.finalUrl.startsWith("http:");
    if (insecure === undefined || isKnownPlain)
      return passedOn(page, "No form sends over plain http.");
    return { holds: false, detail: `The form sends to ${insecure.action}.`, url: page.finalUrl };
  }),
  consenting("optin.unclear", (words) =>
    says("unclear", fold(words)) ? "The consent is worded vaguely" : null,
  ),
  optIn("use_case.viral", (page) => {
    const match = locate(page, "friendsNumber");
    const asksForOthers =
      match !== null &&
      page.facts.fields.some(
        ({ kind, label }) => kind === "phone" && /friend|amigo|ami/.test(fold(label)),
      );
    return asksForOthers
      ? defectAt(page, match)
      : passedOn(page, "Nobody is asked for a friend's number.");
  }),
];

const TERMS_LINK = /terms|conditions|tos\b|terminos|condiciones|sms-?policy|mobile-?program/;
const NO_CONSENT_BOX =
  /remember me|keep me (?:signed|logged)|stay signed|same as|billing address|recuerdame|se souvenir/;
/** Characters around the consent words that cover the rest of the sentence and its neighbours. */
const CONSENT_CHARS_BEFORE = 250;
const CONSENT_CHARS_AFTER = 500;

function optIn(
  code: RegistrationCode,
  see: (page: ReadPage, view: SiteView) => Observation | null,
): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const page = checkedPage(view, "opt_in");
      return page === null ? null : see(page, view);
    },
  };
}

/** Rule on the consent words: returns a problem, or null. Does not apply without consent words. */
function consenting(
  code: RegistrationCode,
  problem: (words: string, page: ReadPage) => string | null,
): WebsiteRule {
  return optIn(code, (page) => {
    const consent = consentOn(page);
    if (consent === null) return null;
    const words = consentWords(page, consent);
    const wrong = problem(words, page);
    if (wrong === null) return foundAt(page, consent);
    const excerpt = excerptOf(page.facts.text, consent.start, consent.end);
    return { holds: false, detail: `${wrong}: ${quote(excerpt)}`, url: page.finalUrl, excerpt };
  });
}

function seeUrl(view: SiteView): Observation | null {
  const page = view.site.opt_in;
  if (page.url !== null) return { holds: true, detail: optInFoundBy(page.foundBy), url: page.url };
  if (readPageOf(view, "website") === null) return null;
  return {
    holds: false,
    detail: "The homepage asks for no phone number and links to no page that does.",
    url: view.site.website.finalUrl,
  };
}

function optInFoundBy(foundBy: string): string {
  if (foundBy === "given") return "Its address was given.";
  return foundBy === "link"
    ? "It was found by a link on the homepage."
    : "The homepage itself asks for a phone number.";
}

function phoneField(page: ReadPage) {
  return page.facts.fields.find(({ kind }) => kind === "phone");
}

/** Consent words, those about text messages first. */
function consentOn(page: ReadPage): Match | null {
  const { folded } = page.facts;
  const first = findWording("consent", folded);
  for (let match = first; match !== null; match = findWording("consent", folded, match.end)) {
    if (says("channel", fold(consentWords(page, match)))) return match;
  }
  return first;
}

/** Consent words with their context, but nothing from outside their form. */
function consentWords(page: ReadPage, consent: Match): string {
  const { text, forms } = page.facts;
  const form = forms.find(({ start, end }) => start <= consent.start && consent.end <= end);
  const start = Math.max(form?.start ?? 0, consent.start - CONSENT_CHARS_BEFORE);
  const end = Math.min(form?.end ?? text.length, consent.end + CONSENT_CHARS_AFTER);
  return text.slice(start, end);
}

/** Alternative places are worth naming only where consent is not visible. */
function elsewhere(page: ReadPage, words: string, how: string): Observation | null {
  if (consentOn(page) !== null) return passedOn(page, "The words of consent are shown as text.");
  const match = findWording("consent", fold(words));
  if (match === null) return null;
  const excerpt = excerptOf(words, match.start, match.end);
  return {
    holds: false,
    detail: `The words are ${how}: ${quote(excerpt)}`,
    url: page.finalUrl,
    excerpt,
  };
}

function consentBox(page: ReadPage): PageBox | undefined {
  return page.facts.boxes.find((box) => says("channel", fold(box.label)));
}

function seePrechecked(page: ReadPage): Observation {
  const box = page.facts.boxes.find((each) => each.checked && isAboutConsent(page, each));
  if (box === undefined) return passedOn(page, "No box for consent is checked beforehand.");
  return boxDefect(page, box, "This box is checked");
}

/** A checkbox counts if it is in the phone number's form, or mentions text messages. */
function isAboutConsent(page: ReadPage, box: PageBox): boolean {
  const label = fold(box.label);
  if (NO_CONSENT_BOX.test(label)) return false;
  if (says("channel", label)) return true;
  return page.facts.fields.some(({ kind, form }) => kind === "phone" && form === box.form);
}

function boxDefect(page: ReadPage, box: PageBox, what: string): Observation {
  const excerpt = box.label === "" ? box.name : box.label.slice(0, 160);
  return { holds: false, detail: `${what}: ${quote(excerpt)}`, url: page.finalUrl, excerpt };
}
