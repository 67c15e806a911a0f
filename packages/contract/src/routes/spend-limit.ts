import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, Nullable } from "../fields.ts";
import {
  SPEND_ALERT_THRESHOLDS_DEFAULT,
  SPEND_ALERT_THRESHOLDS_MAX,
  SPEND_LIMIT_USD_MAX,
} from "../limits.ts";
import { SpendLimit } from "../schemas/spend-limit.ts";

const TAG = "Spend limit";

export const spendLimitRoutes = defineRoutes({
  "spendLimit.get": {
    method: "GET",
    path: "/v1/spend-limit",
    scope: "billing",
    tag: TAG,
    summary: "Read the monthly spend limit and the amount spent this month",
    description:
      "The limit, its alert thresholds, and what is spent, reserved and left in this calendar month (UTC).",
    answers: { 200: SpendLimit },
    errors: [],
    example: { status: 200 },
  },
  "spendLimit.update": {
    method: "PATCH",
    path: "/v1/spend-limit",
    scope: "billing",
    tag: TAG,
    summary: "Set or lift the monthly spend limit, and choose its alerts",
    description:
      "Everything billed in the calendar month (UTC) counts. A call whose price would cross the limit is refused with 429 `spend_limit_reached`: texts, codes (by the price of their success), number purchases and submitted registrations; rows of batches and due messages fail with that code. Free calls, checks of codes, inbound texts and the monthly price of numbers always pass. A threshold that is already crossed when set emits its event at once, but only once a month.",
    nullClears: true,
    body: Input({
      monthly_limit_usd: Type.Optional(
        Nullable(Type.Number({ minimum: 0, maximum: SPEND_LIMIT_USD_MAX }), {
          description: "US dollars, at most six decimals; null lifts the limit.",
        }),
      ),
      alert_thresholds: Type.Optional(
        Nullable(
          Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
            maxItems: SPEND_ALERT_THRESHOLDS_MAX,
          }),
          {
            description: `Percentages of the limit, in any order; [] alerts at none, null goes back to ${SPEND_ALERT_THRESHOLDS_DEFAULT.join(", ")}.`,
          },
        ),
      ),
    }),
    answers: { 200: SpendLimit },
    errors: [],
    example: { body: { monthly_limit_usd: 250, alert_thresholds: [50, 80, 100] }, status: 200 },
  },
});
