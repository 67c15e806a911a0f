import type { RegistrationCode } from "@longwave/contract";
import type { PageRole } from "../site.ts";
import type { Observation } from "./finding.ts";
import { namesBusiness } from "./names.ts";
import {
  checkedPage,
  defectAt,
  foundAt,
  isNotFoundPage,
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

/** Rules on the privacy policy and the terms. */
export const POLICY_RULES: readonly WebsiteRule[] = [
  exists("privacy.missing", "privacy", "a privacy policy"),
  opens("privacy.down", "privacy"),
  { code: "privacy.no_sharing_missing", evaluate: seeNoSharing },
  { code: "privacy.sharing", evaluate: seeSharing },
  mustSay("privacy.sms_missing", "privacy", "channel", "does not mention text messages"),
  named("privacy.name_missing", "privacy"),
  linked("privacy.link_missing", "privacy", "the privacy policy"),
  filledIn("privacy.template", "privacy"),
  exists("terms.missing", "terms", "terms of service"),
  opens("terms.down", "terms"),
  mustSay("terms.stop_missing", "terms", "stop", "does not say that STOP ends the messages"),
  mustSay("terms.help_missing", "terms", "help", "does not say that HELP gives help"),
  mustSay(
    "terms.rates_missing",
    "terms",
    "rates",
    "does not say that message and data rates may apply",
  ),
  mustSay(
    "terms.frequency_missing",
    "terms",
    "frequency",
    "does not say how often messages are sent",
  ),
  { code: "terms.program_missing", evaluate: seeProgram },
  mustSay(
    "terms.carriers_missing",
    "terms",
    "carriersNotLiable",
    "does not say that carriers are not liable",
  ),
  { code: "terms.privacy_missing", evaluate: seePrivacyReference },
  linked("terms.link_missing", "terms", "the terms"),
  filledIn("terms.template", "terms"),
];

function exists(code: RegistrationCode, role: PageRole, what: string): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const page = view.site[role];
      const read = readPageOf(view, role);
      if (read !== null && isNotFoundPage(read.facts)) {
        return { holds: false, detail: "The page says that it was not found.", url: read.finalUrl };
      }
      if (page.url !== null) return { holds: true, detail: foundBy(page), url: page.url };
      // Without the homepage, its links are unknown.
      if (readPageOf(view, "website") === null) return null;
      const url = view.site.website.finalUrl;
      return {
        holds: false,
        detail: `The homepage has no link to ${what}, and none of the usual addresses has one.`,
        url,
      };
    },
  };
}

function foundBy(page: { readonly foundBy: string }): string {
  if (page.foundBy === "given") return "Its address was given.";
  if (page.foundBy === "link") return "It was found by a link on the homepage.";
  return "It was found at a usual address.";
}

export function opens(code: RegistrationCode, role: PageRole): WebsiteRule {
  return {
    code,
    evaluate: ({ site }) => {
      const page = site[role];
      if (page.url === null) return null;
      const url = page.finalUrl ?? page.url;
      if (page.problem === null) return { holds: true, detail: "The page opens.", url };
      return { holds: false, detail: page.problem.detail, url };
    },
  };
}

function named(code: RegistrationCode, role: PageRole): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const page = checkedPage(view, role);
      if (page === null) return null;
      const { businessName } = view.subject;
      return namesBusiness(page.facts.text, businessName)
        ? passedOn(page, `The page names “${businessName}”.`)
        : missingOn(page, `does not name “${businessName}”`);
    },
  };
}

function linked(code: RegistrationCode, role: PageRole, what: string): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const home = readPageOf(view, "website");
      const page = checkedPage(view, role);
      if (home === null || page === null) return null;
      const addresses = new Set([page.url, page.finalUrl].map(withoutSlash));
      const link = home.facts.links.find(({ href }) => addresses.has(withoutSlash(href)));
      if (link !== undefined) return passedOn(home, `The homepage links to ${link.href}.`);
      return missingOn(home, `has no link to ${what} at ${page.finalUrl}`);
    },
  };
}

function withoutSlash(url: string | null): string {
  return (url ?? "").replace(/#.*/s, "").replace(/\/$/, "");
}

function filledIn(code: RegistrationCode, role: PageRole): WebsiteRule {
  return {
    code,
    evaluate: (view) => {
      const page = checkedPage(view, role);
      if (page === null) return null;
      const match = locate(page, "blanks");
      return match === null ? passedOn(page, "No blank was left.") : defectAt(page, match);
    },
  };
}

function seeNoSharing(view: SiteView): Observation | null {
  const page = checkedPage(view, "privacy");
  if (page === null) return null;
  const match = locate(page, "noSharing");
  if (match !== null) return foundAt(page, match);
  return missingOn(
    page,
    "has no sentence which says that mobile numbers are not shared with third parties",
  );
}

/** A sentence that allows sharing, unless the same sentence excludes it. */
function seeSharing(view: SiteView): Observation | null {
  const page = checkedPage(view, "privacy");
  if (page === null) return null;
  const { folded } = page.facts;
  for (
    let match = findWording("sharing", folded);
    match !== null;
    match = findWording("sharing", folded, match.end)
  ) {
    const sentence = sentenceAround(folded, match);
    if (!says("negation", sentence)) return defectAt(page, match);
  }
  return passedOn(page, "No sentence allows it.");
}

function sentenceAround(text: string, match: Match): string {
  const start =
    Math.max(text.lastIndexOf(".", match.start), text.lastIndexOf("\n", match.start)) + 1;
  const ends = [text.indexOf(".", match.end), text.indexOf("\n", match.end)].filter(
    (at) => at !== -1,
  );
  return text.slice(start, Math.min(text.length, ...ends));
}

function seeProgram(view: SiteView): Observation | null {
  const page = checkedPage(view, "terms");
  if (page === null) return null;
  const isNamed = namesBusiness(page.facts.text, view.subject.businessName);
  const channel = locate(page, "channel");
  if (!isNamed) return missingOn(page, `does not name “${view.subject.businessName}”`);
  return channel === null
    ? missingOn(page, "does not speak of text messages")
    : foundAt(page, channel);
}

function seePrivacyReference(view: SiteView): Observation | null {
  const page = checkedPage(view, "terms");
  if (page === null) return null;
  const link = privacyLink(page);
  if (link !== undefined) return passedOn(page, `The page links to ${link.href}.`);
  const match = locate(page, "privacyPage");
  return match === null
    ? missingOn(page, "does not refer to the privacy policy")
    : foundAt(page, match);
}

const PRIVACY_LINK = /privacy|privacidad|confidentialite|privee/;

export function privacyLink(page: ReadPage): { readonly href: string } | undefined {
  return page.facts.links.find(({ href, label }) =>
    PRIVACY_LINK.test(`${href} ${label}`.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")),
  );
}
