/** What part of a registration a code is about. */
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
 * One defect of a registration. The same code stands on a finding of the check, on a carrier's or
 * reviewer's rejection, in the linter's report and on its own page of the documentation.
 */
export interface RegistrationCodeSpec {
  readonly area: RegistrationArea;
  /** What the check makes of it: a failing finding keeps a registration from being ready. */
  readonly level: "fail" | "warn";
  readonly title: string;
  /** The title when all is well; null where no rule of the check can tell, only a person. */
  readonly passes: string | null;
  readonly explanation: string;
  readonly fix: string;
  /** What the larger messaging providers answer for the same defect: for those who come from there. */
  readonly carrierCodes?: readonly string[];
}
