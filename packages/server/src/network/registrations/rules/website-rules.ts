import type { RegistrationCode } from "@longwave/contract";
import { getDomain } from "tldts";
import type { PageProblemKind, UseCase } from "../site.ts";
import type { Observation } from "./finding.ts";
import { languageOf } from "./language.ts";
import { namesBusiness } from "./names.ts";
import {
  defectAt,
  foundAt,
  locate,
  missingOn,
  passedOn,
  type ReadPage,
  readPageOf,
  type SiteView,
  type WebsiteRule,
} from "./site-view.ts";

/** Rules on the homepage and its existence. */
export const WEBSITE_RULES: readonly WebsiteRule[] = [
  reached("website.down", ["unreachable", "timeout"], "The homepage answers."),
  reached(
    "website.tls",
    ["tls"],
    "The connection is encrypted with a valid certificate, or not at all.",
  ),
  reached("website.redirects", ["redirects"], "The address was followed to a page."),
  reached("website.status", ["status"], "The homepage answers with status 200."),
  reached("website.not_html", ["not_html"], "The homepage is HTML."),
  reached("website.unreadable", ["unreadable"], "The homepage is readable text."),
  reached("website.slow", ["slow"], "The homepage arrived in time."),
  homepage("website.plain_http", (page) => {
    const isPlain = page.finalUrl.startsWith("http:");
    return {
      holds: !isPlain,
      detail: isPlain
        ? "The homepage was read over plain http."
        : "The homepage was read over https.",
      url: page.finalUrl,
    };
  }),
  { code: "website.cut", evaluate: seeCut },
  homepage("website.domain_changed", (page, { subject }) => {
    const [given, final] = [domainOf(subject.website), domainOf(page.finalUrl)];
    const detail = given === final ? `The website is on ${final}.` : `${given} leads to ${final}.`;
    return { holds: given === final, detail, url: page.finalUrl };
  }),
  homepage("website.not_own_domain", (page) => {
    const domain = domainOf(page.finalUrl);
    const isShared = SHARED_DOMAINS.has(domain);
    const detail = isShared
      ? `${domain} belongs to a platform.`
      : `${domain} is no known platform.`;
    return { holds: !isShared, detail, url: page.finalUrl };
  }),
  homepage("website.script_only", (page) => {
    const { text, scripts } = page.facts;
    const isEmpty = text.length < TEXT_CHARS_MIN && scripts > 0;
    const detail = `The HTML shows ${text.length} characters of text and has ${scripts} scripts.`;
    return { holds: !isEmpty, detail, url: page.finalUrl };
  }),
  homepage("website.name_missing", (page, { subject }) => {
    const { text, title, imageText } = page.facts;
    const isNamed = namesBusiness(`${title}\n${text}\n${imageText}`, subject.businessName);
    if (!isNamed) return missingOn(page, `does not show the name “${subject.businessName}”`);
    return passedOn(page, `The homepage shows the name “${subject.businessName}”.`);
  }),
  homepage("website.placeholder", (page) => {
    const match = locate(page, "placeholder");
    const isShort = page.facts.text.length < PLACEHOLDER_CHARS_MAX;
    if (match !== null && isShort) return defectAt(page, match);
    return passedOn(page, "The page does not read like a placeholder.");
  }),
  homepage("website.contact_missing", (page) => {
    const match = locate(page, "contact");
    if (match !== null) return foundAt(page, match);
    const link = page.facts.links.find(({ href }) => /contact|kontakt/i.test(href));
    if (link !== undefined) return passedOn(page, `There is a link to ${link.href}.`);
    return missingOn(page, "shows no e-mail address, phone number or contact page");
  }),
  { code: "website.use_case_mismatch", evaluate: seeUseCase },
  homepage("language.not_english", (page) => {
    const language = languageOf(page.facts.folded);
    const isEnglish = language === null || language === "English";
    const detail = isEnglish
      ? "The homepage reads as English."
      : `The homepage reads as ${language === "another script" ? "text in another script" : language}.`;
    return { holds: isEnglish, detail, url: page.finalUrl };
  }),
];

/** Shorter pages are a logo and a loading sign, not a homepage. */
const TEXT_CHARS_MIN = 120;
/** A long page that mentions "coming soon" somewhere is no placeholder. */
const PLACEHOLDER_CHARS_MAX = 800;

const SHARED_DOMAINS = new Set(
  (
    "facebook.com instagram.com linkedin.com twitter.com x.com tiktok.com youtube.com linktr.ee beacons.ai " +
    "carrd.co etsy.com ebay.com amazon.com yelp.com google.com notion.site medium.com"
  ).split(" "),
);

// biome-ignore format: one use case per line
const USE_CASE_WORDS: Readonly<Partial<Record<UseCase, RegExp>>> = {
  "2fa": /\b(?:sign in|log ?in|login|sign up|account|password|portal|app|secure|security|verif\w+|iniciar sesion|cuenta|acceso|connexion|compte|securite)\b/,
  account_notification: /\b(?:account|log ?in|sign in|members?|membership|billing|invoice|customer|appointment|patient|portal|cuenta|cliente|paciente|compte|client|patient)s?\b/,
  delivery_notification: /\b(?:order|ship\w*|deliver\w*|track\w*|package|parcel|cart|shop|store|pedido|envio|entrega|tienda|commande|livraison|boutique|colis)s?\b/,
  fraud_alert: /\b(?:bank\w*|account|card|credit union|payment|finance|financial|secure|security|fraud|banco|cuenta|tarjeta|banque|compte|carte)s?\b/,
  security_alert: /\b(?:security|secure|account|alarm|alert|monitor\w*|protect\w*|log ?in|sign in|seguridad|cuenta|alerta|securite|compte|alerte)s?\b/,
  higher_education: /\b(?:university|college|campus|student|admissions|faculty|degree|universidad|estudiante|universite|etudiant)s?\b/,
  polling_voting: /\b(?:poll|vote|voter|voting|survey|election|ballot|campaign|encuesta|voto|eleccion|sondage|scrutin)s?\b/,
  public_service_announcement: /\b(?:city|county|town|public|community|government|emergency|weather|department|residents?|ciudad|condado|comunidad|ville|mairie|commune)s?\b/,
};

function homepage(
  code: RegistrationCode,
  see: (page: ReadPage, view: SiteView) => Observation,
): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const page = readPageOf(view, "website");
      return page === null ? null : see(page, view);
    },
  };
}

/** Passes when the page was read, fails for these problems, and does not apply for others. */
function reached(
  code: RegistrationCode,
  kinds: readonly PageProblemKind[],
  detail: string,
): WebsiteRule {
  return {
    code,
    evaluate: ({ site: { website } }) => {
      const url = website.finalUrl ?? website.url;
      if (website.problem === null) return { holds: true, detail, url };
      if (!kinds.includes(website.problem.kind)) return null;
      return { holds: false, detail: website.problem.detail, url };
    },
  };
}

function seeCut({ site }: SiteView): Observation | null {
  const pages = [site.website, site.privacy, site.terms, site.opt_in].filter(
    (p) => p.facts !== null,
  );
  if (pages.length === 0) return null;
  const cut = pages.find((page) => page.cut);
  if (cut === undefined) return { holds: true, detail: "Every page was read to its end." };
  return { holds: false, detail: "The first 1 MiB of the page was read.", url: cut.finalUrl };
}

function seeUseCase(view: SiteView): Observation | null {
  const words = USE_CASE_WORDS[view.subject.useCase];
  const home = readPageOf(view, "website");
  if (words === undefined || home === null) return null;
  for (const page of [home, readPageOf(view, "opt_in")]) {
    const match = page === null ? null : words.exec(page.facts.folded);
    if (page === null || match === null) continue;
    return foundAt(page, { start: match.index, end: match.index + match[0].length });
  }
  return missingOn(home, `shows nothing that belongs to the use case ${view.subject.useCase}`);
}

export function domainOf(url: string): string {
  return getDomain(url, { allowPrivateDomains: false }) ?? hostOf(url);
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
}
