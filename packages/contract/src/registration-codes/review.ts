import type { RegistrationCodeSpec } from "./spec.ts";

/**
 * Findings about the brand's own fields, and findings that only a reviewer or a carrier can make.
 */
// biome-ignore format: one code per block, read as a table
export const REVIEW_CODES = {
  "brand.email_free": {
    area: "brand", level: "warn", passes: "The contact address belongs to the business",
    title: "The contact address is of a free mail service",
    explanation: "Registries verify a brand by an e-mail address on its own domain.",
    fix: "Give a contact address on the domain of the website.",
    carrierCodes: ["21741"],
  },
  "brand.email_domain": {
    area: "brand", level: "warn", passes: "The contact address is on the website's domain",
    title: "The contact address is on another domain than the website",
    explanation: "Registries compare the contact address with the website.",
    fix: "Give a contact address on the domain of the website.",
    carrierCodes: ["21736"],
  },
  "brand.po_box": {
    area: "brand", level: "warn", passes: "The address is a street",
    title: "The address is a post office box",
    explanation: "Registries refuse addresses where nobody can be visited.",
    fix: "Give the street address under which the business is registered.",
  },
  "brand.ein_format": {
    area: "brand", level: "warn", passes: "The EIN has nine digits",
    title: "The EIN is malformed",
    explanation: "An EIN has nine digits, such as 12-3456789.",
    fix: "Copy the EIN from the letter of the tax office.",
  },
  "brand.ein_mismatch": {
    area: "brand", level: "fail", passes: null,
    title: "The EIN and the legal name do not belong together",
    explanation: "The tax office knows this EIN under another name, or does not know it.",
    fix: "Give legal name and EIN exactly as on the letter of the tax office.",
  },
  "brand.address_unknown": {
    area: "brand", level: "fail", passes: null,
    title: "The address is not known",
    explanation: "The postal service does not know the address, or it is not that of the business.",
    fix: "Give the registered address as the postal service spells it.",
  },
  "brand.duplicate": {
    area: "brand", level: "fail", passes: null,
    title: "The brand is registered already",
    explanation: "Another registration has the same EIN.",
    fix: "Use the registration that exists, or have it removed first.",
  },
  "brand.unverified": {
    area: "brand", level: "fail", passes: null,
    title: "The brand could not be verified",
    explanation: "The registry's message to the contact address was not answered, or the person behind it could not be confirmed.",
    fix: "Watch the contact address, answer within the time given, and submit again.",
    carrierCodes: ["21737", "21738", "21739", "21740"],
  },
  "use_case.personal": {
    area: "use_case", level: "fail", passes: null,
    title: "The use is personal",
    explanation: "Registrations are for businesses and organisations that text people who asked for it.",
    fix: "Register a business; personal use cannot be registered.",
    carrierCodes: ["30532"],
  },
  "use_case.ineligible": {
    area: "use_case", level: "fail", passes: null,
    title: "The brand may not use this use case",
    explanation: "Some use cases are for certain organisations, or for brands that were vetted further.",
    fix: "Choose another use case, or have the brand vetted.",
    carrierCodes: ["30900"],
  },
  "use_case.duplicate": {
    area: "use_case", level: "fail", passes: null,
    title: "There is a campaign like this already",
    explanation: "The brand has a campaign of the same kind.",
    fix: "Use the registration that exists.",
  },
  "use_case.description": {
    area: "use_case", level: "fail", passes: null,
    title: "The description does not say who texts whom, and why",
    explanation: "A description must say who sends, who receives, what about, and how people agreed.",
    fix: "Leave the description out to file the generated one, or write it in this order.",
  },
  "optin.no_prior_consent": {
    area: "opt_in", level: "fail", passes: null,
    title: "The first text comes before consent",
    explanation: "The flow describes a text to people who have not agreed to any.",
    fix: "Text people only after they have agreed.",
    carrierCodes: ["30555"],
  },
  "optin.confirmation_missing": {
    area: "opt_in", level: "fail", passes: null,
    title: "The confirmation is missing",
    explanation: "For recurring texts, a first text must confirm the opt-in and say how to stop.",
    fix: "Send generated.opt_in_confirmation as the first text.",
    carrierCodes: ["30540"],
  },
  "optin.absent": {
    area: "opt_in", level: "fail", passes: null,
    title: "There is no proof of consent",
    explanation: "The reviewer found nothing that shows how people agree to texts.",
    fix: "Give the address of the page where people opt in, and make sure that it can be seen without signing in.",
    carrierCodes: ["30842"],
  },
  "optin.generic": {
    area: "opt_in", level: "fail", passes: null,
    title: "The opt-in was not accepted",
    explanation: "The reviewer did not accept how people opt in, without saying more. The findings on the opt-in page name what is usually meant.",
    fix: "Fix every finding on the opt-in page, the policy and the terms, and submit again.",
    carrierCodes: ["30896"],
  },
  "carrier.rejected": {
    area: "carrier", level: "fail", passes: null,
    title: "A carrier refused the registration",
    explanation: "One of the carriers refused it without giving a reason. The note may say more.",
    fix: "Fix every finding and submit again. If a carrier refuses it once more, ask the operator.",
    carrierCodes: ["30899", "30902"],
  },
  "carrier.suspended": {
    area: "carrier", level: "fail", passes: null,
    title: "A carrier suspended the approved registration",
    explanation: "The registration was approved, and a carrier suspended it since: for complaints, for content beyond its examples, or for a change of the brand. Its numbers cannot text the public meanwhile.",
    fix: "Stop the texts that the note names, and tell the operator, who reinstates it once the carriers do.",
    carrierCodes: [],
  },
  "carrier.expired": {
    area: "carrier", level: "fail", passes: null,
    title: "The approved registration has expired",
    explanation: "The registration was approved, and its campaign was not renewed with the carriers. Its numbers cannot text the public until it is approved again.",
    fix: "Ask the operator to renew the campaign, or recheck the registration and submit it again.",
    carrierCodes: [],
  },
} as const satisfies Record<string, RegistrationCodeSpec>;
