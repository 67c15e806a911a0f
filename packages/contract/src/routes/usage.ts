import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, SingleLine, StringEnum, TimestampQuery } from "../fields.ts";
import { TIME_ZONE_CHARS_MAX, USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from "../limits.ts";
import { Usage } from "../schemas/usage.ts";

/** Reporting window of usage. */
export const usageWindow = {
  created_after: Type.Optional(
    TimestampQuery({
      description: `Inclusive; ISO 8601 with a zone, or epoch milliseconds. Default: ${USAGE_DAYS_DEFAULT} days before the end.`,
    }),
  ),
  created_before: Type.Optional(
    TimestampQuery({
      description: `Exclusive; the same format, at most ${USAGE_DAYS_MAX} days after the start. Default: the end of today.`,
    }),
  ),
  timezone: Type.Optional(
    SingleLine({
      minLength: 1,
      maxLength: TIME_ZONE_CHARS_MAX,
      description: "IANA zone of the days, such as America/New_York. Default: UTC.",
    }),
  ),
};

export const usageRoutes = defineRoutes({
  "usage.get": {
    method: "GET",
    path: "/v1/usage",
    heavy: "alone",
    scope: "messages:read",
    tag: "Account",
    summary: "Read the account's usage, by day",
    description:
      "Texts in and out and successful verifications of the key's mode, with what they cost, by calendar day: of UTC, or of `timezone`.",
    query: Input({
      by: Type.Optional(StringEnum(["day"], { description: "Length of a row: a calendar day." })),
      ...usageWindow,
    }),
    answers: { 200: Usage },
    errors: [],
    example: { query: { by: "day" }, status: 200 },
  },
});
