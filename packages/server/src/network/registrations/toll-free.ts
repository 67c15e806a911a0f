import {
  type Brand,
  type BrandField,
  Problem,
  type RegistrationChanges,
  type RegistrationKind,
  TOLL_FREE_FIELDS,
} from "@longwave/contract";
import type { RegistrationRow } from "./registration-row.ts";

/** Fields of the organisation that the form of toll-free verification asks. */
const BRAND_FIELDS_ASKED: readonly BrandField[] = [
  "legal_name",
  "entity_type",
  "street",
  "city",
  "state",
  "postal_code",
  "country",
  "contact_email",
  "contact_phone",
];

/** Paths of fields that a toll-free verification still lacks; empty for other kinds. */
export function missingTollFreeFields({
  kind,
  given,
}: Pick<RegistrationRow, "kind" | "given">): string[] {
  if (kind !== "toll_free") return [];
  const brand: Brand = given.brand;
  const tollFree = given.toll_free ?? {};
  return [
    ...TOLL_FREE_FIELDS.filter((name) => isMissing(tollFree[name])).map(
      (name) => `toll_free.${name}`,
    ),
    ...BRAND_FIELDS_ASKED.filter((name) => isMissing(brand[name])).map((name) => `brand.${name}`),
  ];
}

function isMissing(value: string | readonly string[] | null | undefined): boolean {
  return typeof value === "string" ? value.trim() === "" : (value ?? []).length === 0;
}

/** Refuses the fields of toll-free verification in a campaign, and malformed ones. */
export function requireTollFreeFields(kind: RegistrationKind, input: RegistrationChanges): void {
  const given = input.toll_free;
  if (given === undefined || given === null) return;
  if (kind !== "toll_free") {
    const message = "toll_free goes with kind toll_free only. Leave it out.";
    throw new Problem("invalid_request", message, { param: "toll_free" });
  }
  const country = given.business_registration_country;
  if (country && !/^[A-Z]{2}$/.test(country)) {
    const param = "toll_free.business_registration_country";
    const message = `${param} is a country of ISO 3166 in two capital letters, such as US.`;
    throw new Problem("invalid_request", message, { param });
  }
  for (const [index, url] of (given.opt_in_image_urls ?? []).entries()) {
    if (/^https?:\/\//.test(url) && URL.canParse(url)) continue;
    const param = `toll_free.opt_in_image_urls[${index}]`;
    const message = `${param} is not the address of a picture. Give one that begins with https://.`;
    throw new Problem("invalid_request", message, { param });
  }
}
