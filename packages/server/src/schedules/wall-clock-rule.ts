/** A rule as a clock on a wall sees it: readings, without any zone (see platform/time-zones.ts). */
export interface WallClockRule {
  /** The first reading after one; null when there is none. */
  next(wallMs: number): number | null;
  /** Nothing after this: a moment, or a reading of the clock. Null without an end of its own. */
  readonly until: { readonly atMs: number } | { readonly wallMs: number } | null;
}
