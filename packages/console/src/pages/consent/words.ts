import {
  CONSENT_SOURCE_CARRIER,
  CONSENT_SOURCE_CONTACT,
  CONSENT_SOURCE_IMPORT,
  CONSENT_SOURCE_TEXT,
  type ConsentBasis,
  type ConsentMatch,
  type ConsentStatus,
} from "@longwave/contract/tables";

export const CONSENT_CHOICES: readonly { value: ConsentStatus; label: string }[] = [
  { value: "opted_out", label: "Opted out" },
  { value: "opted_in", label: "Opted in" },
];

export const BASIS_WORDS: Readonly<Record<ConsentBasis, string>> = {
  express: "Express",
  implied_inquiry: "Implied by an inquiry",
  implied_purchase: "Implied by a purchase",
};

export const MATCH_WORDS: Readonly<Record<ConsentMatch, string>> = {
  keyword: "Keyword",
  phrase: "Free text",
};

/** Sources that the service records itself. */
const SOURCE_WORDS: ReadonlyMap<string, string> = new Map([
  [CONSENT_SOURCE_TEXT, "Text message"],
  [CONSENT_SOURCE_IMPORT, "Import"],
  [CONSENT_SOURCE_CARRIER, "Reported by the carrier"],
  [CONSENT_SOURCE_CONTACT, "Contact"],
]);

/** Source of a consent in words; one that the account named itself stays as it is. */
export function sourceWords(source: string): string {
  return SOURCE_WORDS.get(source) ?? source;
}
