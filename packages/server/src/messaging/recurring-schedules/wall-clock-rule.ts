import { Problem } from "@longwave/contract";
/** A rule in wall-clock readings, without a time zone (see platform/time-zones.ts). */
export interface WallClockRule {
  /** First reading after `wallMs`; null when there is none within SEARCH_YEARS_MAX. */
  next(wallMs: number): number | null;
  /** Inclusive end of the rule, as a time or a wall-clock reading; null without one. */
  readonly until: { readonly atMs: number } | { readonly wallMs: number } | null;
  /** Months, days and positions examined so far. One `next` takes at most SEARCH_STEPS_MAX. */
  readonly stepsTaken: number;
}

export function refuse(param: string, message: string): Problem {
  return new Problem("invalid_request", message, { param });
}
