import { type Static, Type } from "typebox";
import { Nullable, Resource, Timestamp, Usd } from "../fields.ts";

/** Spend limit of the account for a calendar month, and the amount spent so far. */
export const SpendLimit = Resource("SpendLimit", {
  object: Type.Literal("spend_limit"),
  monthly_limit_usd: Nullable(Usd(), {
    description:
      "Limit for a calendar month (UTC), in US dollars with at most six decimals; null: no limit.",
  }),
  alert_thresholds: Type.Array(Type.Integer(), {
    description:
      "The percentages of the limit at which `spend.threshold_reached` fires, lowest first: each once a month.",
  }),
  spent_usd: Usd({ description: "Billed amount this month, in US dollars." }),
  reserved_usd: Usd({
    description: "Reserved amount for texts in progress. It counts against the limit too.",
  }),
  remaining_usd: Nullable(Usd(), {
    description: "Remaining amount this month; null without a limit, never below 0.",
  }),
  period_start: Timestamp({ description: "The first moment of this calendar month in UTC." }),
  resets_at: Timestamp({ description: "The first moment of the next one." }),
});
export type SpendLimit = Static<typeof SpendLimit>;
