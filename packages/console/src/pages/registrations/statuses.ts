/** The usual way of a registration; states that share a place are its two outcomes. */
export const WAY = [
  ["draft"],
  ["ready", "checks_failed"],
  ["submitted"],
  ["in_review"],
  ["approved", "rejected"],
] as const;
