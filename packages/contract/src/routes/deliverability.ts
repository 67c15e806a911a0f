import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input } from "../fields.ts";
import { DELIVERABILITY_HOURS_DEFAULT, DELIVERABILITY_HOURS_MAX } from "../limits.ts";
import { Deliverability } from "../schemas/deliverability.ts";

export const deliverabilityRoutes = defineRoutes({
  "deliverability.get": {
    method: "GET",
    path: "/v1/deliverability",
    heavy: true,
    scope: "messages:read",
    tag: "Deliverability",
    summary: "Read how much of the traffic arrives",
    description:
      "Totals, by carrier, by number, and hour by hour, of the texts sent in the key's mode. A text counts in the hour it was sent, whenever its end is known. `deliverability.degraded` fires when at least 50 live texts of the last hour are decided and their rate is 20 points below that of the 24 hours before; at most once in 6 hours for all traffic, for each carrier and for each number.",
    query: Input({
      hours: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: DELIVERABILITY_HOURS_MAX,
          description: `How many hours back, the present one included; default ${DELIVERABILITY_HOURS_DEFAULT}.`,
        }),
      ),
    }),
    answers: { 200: Deliverability },
    errors: [],
    example: { query: { hours: 24 }, status: 200 },
  },
});
