/** Fields of a filing in Telnyx's words. */
import type { BrandField } from "@longwave/contract";
import type { Filing } from "../registry.ts";
import type { Fields } from "./calls.ts";

const REQUIRED: readonly BrandField[] = [
  "entity_type",
  "legal_name",
  "ein",
  "street",
  "city",
  "state",
  "postal_code",
  "country",
  "vertical",
  "contact_email",
  "contact_phone",
];

/** Kinds of organisations that need nothing beyond the fields: no PIN, and no stock symbol. */
const ENTITY_TYPES: readonly string[] = ["PRIVATE_PROFIT", "NON_PROFIT", "GOVERNMENT"];

/** Lines of business that The Campaign Registry knows. */
const VERTICALS: readonly string[] = [
  ...["AGRICULTURE", "COMMUNICATION", "CONSTRUCTION", "EDUCATION", "ENERGY", "ENTERTAINMENT"],
  ...["FINANCIAL", "GAMBLING", "GOVERNMENT", "HEALTHCARE", "HOSPITALITY", "INSURANCE", "LEGAL"],
  ...["MANUFACTURING", "NGO", "POLITICAL", "REAL_ESTATE", "RETAIL", "TECHNOLOGY"],
  "TRANSPORTATION",
];

/** Reason why the fields cannot be filed, as a sentence for the customer; null where they can. */
export function filingFault({ brand }: Filing): string | null {
  const missing = REQUIRED.filter((name) => (brand[name] ?? "").trim() === "");
  if (missing.length > 0) {
    return `The registry needs ${missing.map((name) => `brand.${name}`).join(", ")}. Send them with recheck.`;
  }
  if (!ENTITY_TYPES.includes(brand.entity_type ?? "")) {
    return `brand.entity_type ${brand.entity_type} needs steps at the registry itself. Register there, and send the campaign's id as campaign_id.`;
  }
  if (!VERTICALS.includes(verticalOf(brand.vertical))) {
    return `brand.vertical is one of ${VERTICALS.join(", ")}. Send it with recheck.`;
  }
  return null;
}

function verticalOf(vertical: string | null | undefined): string {
  return (vertical ?? "")
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, "_");
}

export function brandOf({ businessName, website, brand }: Filing, callbackUrl: string | null) {
  return {
    entityType: brand.entity_type,
    displayName: businessName,
    companyName: brand.legal_name,
    ein: brand.ein,
    street: brand.street,
    city: brand.city,
    state: brand.state,
    postalCode: brand.postal_code,
    country: brand.country,
    vertical: verticalOf(brand.vertical),
    email: brand.contact_email,
    phone: brand.contact_phone,
    website,
    ...(callbackUrl === null ? {} : { webhookURL: callbackUrl }),
  };
}

const COMPARED = [
  ...["entityType", "companyName", "ein", "street", "city", "state", "postalCode", "country"],
  ...["vertical", "email", "phone"],
];

/** Whether the registry's brand has other data than the filing. */
export function differs(kept: Fields, wanted: Fields): boolean {
  return COMPARED.some((name) => plain(kept[name]) !== plain(wanted[name]));
}

/** Whether both are one organisation: the same legal name and tax number. */
export function isSameOrganisation(kept: Fields, wanted: Fields): boolean {
  return ["companyName", "ein"].every((name) => plain(kept[name]) === plain(wanted[name]));
}

/** Value without case, spaces and punctuation, which the registry may write differently. */
function plain(value: unknown): string {
  return typeof value === "string" ? value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "") : "";
}

// biome-ignore format: one use case per line
const SUB_USE_CASES: Readonly<Record<string, readonly string[]>> = {
  mixed:      ["ACCOUNT_NOTIFICATION", "CUSTOMER_CARE", "MARKETING"],
  low_volume: ["ACCOUNT_NOTIFICATION", "CUSTOMER_CARE"],
};

export function campaignOf(
  { key, campaign, resellerId }: Filing,
  brandId: string,
  callbackUrl: string | null,
): Fields {
  const samples = campaign.sample_messages.map((text, index) => [`sample${index + 1}`, text]);
  return {
    brandId,
    referenceId: key,
    usecase: campaign.use_case.toUpperCase(),
    subUsecases: SUB_USE_CASES[campaign.use_case] ?? [],
    description: campaign.description,
    messageFlow: campaign.message_flow,
    ...Object.fromEntries(samples),
    subscriberOptin: true,
    optinKeywords: campaign.opt_in_keywords.join(","),
    optinMessage: campaign.opt_in_message,
    subscriberOptout: true,
    optoutKeywords: campaign.opt_out_keywords.join(","),
    optoutMessage: campaign.opt_out_message,
    subscriberHelp: true,
    helpKeywords: campaign.help_keywords.join(","),
    helpMessage: campaign.help_message,
    embeddedLink: campaign.embedded_link,
    embeddedPhone: campaign.embedded_phone,
    numberPool: campaign.number_pooling,
    ageGated: campaign.age_gated,
    directLending: campaign.direct_lending,
    termsAndConditions: true,
    autoRenewal: true,
    ...given("privacyPolicyLink", campaign.privacy_policy_url),
    ...given("termsAndConditionsLink", campaign.terms_url),
    ...given("resellerId", resellerId),
    ...given("webhookURL", callbackUrl),
  };
}

function given(name: string, value: string | null): Fields {
  return value === null ? {} : { [name]: value };
}
