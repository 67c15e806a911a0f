import { type Static, Type } from "typebox";
import { Nullable, Resource, Timestamp, Usd } from "../fields.ts";

/** The account's own limit on what a calendar month may cost, and how far the month has come. */
export const SpendLimit = Resource("SpendLimit", {
  object: Type.Literal("spend_limit"),
  monthly_limit_usd: Nullable(Usd(), {
    description:
      "What a calendar month (UTC) may cost, in US dollars with at most six decimals; null: no limit.",
  }),
  alert_thresholds: Type.Array(Type.Integer(), {
    description:
      "The percentages of the limit at which `spend.threshold_reached` fires, lowest first: each once a month.",
  }),
  spent_usd: Usd({ description: "What was billed this month so far, in US dollars." }),
  reserved_usd: Usd({
    description: "What is set aside for texts on their way. It counts against the limit as well.",
  }),
  remaining_usd: Nullable(Usd(), {
    description: "What may still be spent this month; null without a limit, never below 0.",
  }),
  period_start: Timestamp({ description: "The first moment of this calendar month in UTC." }),
  resets_at: Timestamp({ description: "The first moment of the next one." }),
});
export type SpendLimit = Static<typeof SpendLimit>;
