import type { RegistrationCodeSpec } from "./spec.ts";

const NOT_CARRIED = "US carriers do not carry texts about this, whatever the consent.";

/** Content that carriers forbid or restrict, searched on the pages and in the examples. */
// biome-ignore format: one code per block, read as a table
export const CONTENT_CODES = {
  "content.prohibited_debt": {
    area: "content", level: "fail", passes: "No third-party debt collection",
    title: "Third-party debt collection",
    explanation: `${NOT_CARRIED} Debts may be collected only by the business to which they are owed.`,
    fix: "Text about your own invoices only, and say so.",
    carrierCodes: ["30863", "30460"],
  },
  "content.prohibited_cannabis": {
    area: "content", level: "fail", passes: "No cannabis",
    title: "Cannabis, CBD or kratom",
    explanation: `${NOT_CARRIED} Places where it is legal are no exception.`,
    fix: "Remove it from the texts; a business that sells it cannot register.",
  },
  "content.prohibited_gambling": {
    area: "content", level: "fail", passes: "No gambling",
    title: "Gambling",
    explanation: NOT_CARRIED,
    fix: "Remove it from the texts. Lotteries of states register with the operator's help.",
  },
  "content.prohibited_loans": {
    area: "content", level: "fail", passes: "No high-risk loans",
    title: "Payday loans and other high-risk loans",
    explanation: `${NOT_CARRIED} Banks that lend their own money register as direct lenders.`,
    fix: "Remove it from the texts.",
  },
  "content.prohibited_crypto": {
    area: "content", level: "fail", passes: "No promises about crypto assets",
    title: "Crypto assets and quick riches",
    explanation: NOT_CARRIED,
    fix: "Remove it from the texts.",
  },
  "content.prohibited_adult": {
    area: "content", level: "fail", passes: "No sexual content",
    title: "Sexual content",
    explanation: NOT_CARRIED,
    fix: "Remove it from the texts.",
  },
  "content.prohibited_firearms": {
    area: "content", level: "fail", passes: "No firearms",
    title: "Firearms and ammunition",
    explanation: NOT_CARRIED,
    fix: "Remove it from the texts.",
  },
  "content.prohibited_tobacco": {
    area: "content", level: "fail", passes: "No tobacco or vapes",
    title: "Tobacco and vapes",
    explanation: NOT_CARRIED,
    fix: "Remove it from the texts.",
  },
  "content.prohibited_hate": {
    area: "content", level: "fail", passes: "No hate or violence",
    title: "Hate or violence",
    explanation: NOT_CARRIED,
    fix: "Remove it from the texts.",
  },
  "content.prohibited_leads": {
    area: "content", level: "fail", passes: "No trade in leads",
    title: "Trade in leads, or affiliate marketing",
    explanation: `${NOT_CARRIED} Consent to texts cannot be bought or sold.`,
    fix: "Text only people who consented to messages of this business.",
  },
  "language.not_english": {
    area: "language", level: "warn", passes: "It is in English",
    title: "It is not in English",
    explanation: "Reviewers of US carriers read English. Pages and examples in other languages are accepted by some and sent back by others.",
    fix: "Offer the pages in English as well and register those addresses; give examples in English, or explain the language in the description.",
    carrierCodes: ["30910"],
  },
  "content.alcohol_age": {
    area: "content", level: "warn", passes: "Alcohol is not sold, or behind an age gate",
    title: "Alcohol without an age gate",
    explanation: "Texts about alcohol are carried only to people whose age was asked for.",
    fix: "Ask for the date of birth where people opt in, and say that they must be 21.",
  },
} as const satisfies Record<string, RegistrationCodeSpec>;
