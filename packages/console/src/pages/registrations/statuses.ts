/** Usual statuses of a registration in order; the outcomes share a position. */
export const USUAL_STATUSES = [
  ["draft"],
  ["ready", "checks_failed"],
  ["submitted"],
  ["in_review"],
  ["approved", "rejected", "suspended", "expired"],
] as const;
