/** Parts of a registration that a code concerns. */
export const REGISTRATION_AREAS = [
  "website",
  "privacy",
  "terms",
  "opt_in",
  "samples",
  "content",
  "language",
  "use_case",
  "brand",
  "carrier",
] as const;

export type RegistrationArea = (typeof REGISTRATION_AREAS)[number];

/**
 * One defect of a registration. A finding of the check, a rejection by a carrier or reviewer, the
 * linter's report and the documentation share its code.
 */
export interface RegistrationCodeSpec {
  readonly area: RegistrationArea;
  /** Level of the finding; `fail` keeps a registration from being ready. */
  readonly level: "fail" | "warn";
  readonly title: string;
  /** Title of the passed check; null when only a person can check it. */
  readonly passes: string | null;
  readonly explanation: string;
  readonly fix: string;
  /** Codes of larger messaging providers for the same defect, for people who migrate. */
  readonly carrierCodes?: readonly string[];
}
