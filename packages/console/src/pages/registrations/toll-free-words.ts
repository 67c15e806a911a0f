import type { TollFreeField } from "@longwave/contract/tables";

/** Label and help of the text fields of a toll-free verification. */
// biome-ignore format: one field per line, read as a table
export const TOLL_FREE_WORDS: readonly (readonly [TollFreeField, string, string])[] = [
  ["business_registration_number",  "Business registration number", "EIN, or the number of another register."],
  ["business_registration_type",    "Kind of number",               "EIN, CBN, VAT, …"],
  ["business_registration_country", "Country of the register",      "Two letters, such as US."],
  ["contact_first_name",            "Contact first name",           ""],
  ["contact_last_name",             "Contact last name",            ""],
];
