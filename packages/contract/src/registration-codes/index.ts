/**
 * Every code of a finding, a rejection or the linter, in one table: meaning and fix.
 * `docs/registration-codes/` has a page for each.
 */
import { CONTENT_CODES } from "./content.ts";
import { OPT_IN_CODES } from "./opt-in.ts";
import { REVIEW_CODES } from "./review.ts";
import { SAMPLE_CODES } from "./samples.ts";
import type { RegistrationCodeSpec } from "./spec.ts";
import { WEBSITE_CODES } from "./website.ts";

export { REGISTRATION_AREAS, type RegistrationArea, type RegistrationCodeSpec } from "./spec.ts";

export const REGISTRATION_CODES = {
  ...WEBSITE_CODES,
  ...OPT_IN_CODES,
  ...SAMPLE_CODES,
  ...CONTENT_CODES,
  ...REVIEW_CODES,
} as const satisfies Record<string, RegistrationCodeSpec>;

export type RegistrationCode = keyof typeof REGISTRATION_CODES;

export const REGISTRATION_CODE_NAMES = Object.keys(REGISTRATION_CODES) as RegistrationCode[];

export function isRegistrationCode(text: string): text is RegistrationCode {
  return Object.hasOwn(REGISTRATION_CODES, text);
}

export function registrationCodeSpec(code: RegistrationCode): RegistrationCodeSpec {
  return REGISTRATION_CODES[code];
}
