import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { PHRASE_OPT_OUT_MODES } from "../enums.ts";
import { Input, Nullable, StringEnum } from "../fields.ts";
import { REDACT_AFTER_DAYS_MAX, REDACT_AFTER_DAYS_MIN } from "../limits.ts";
import { Account } from "../schemas/account.ts";
import { QuietHoursInput } from "../schemas/quiet-hours.ts";

export const accountRoutes = defineRoutes({
  "account.get": {
    method: "GET",
    path: "/v1/account",
    scope: "any_key",
    tag: "Account",
    summary: "Read the account and the key that asks",
    description:
      "The account of the key, with its balance, the remaining free allowance, and the key itself.",
    answers: { 200: Account },
    errors: [],
    example: { status: 200 },
  },
  "account.update": {
    method: "PATCH",
    path: "/v1/account",
    scope: "consent",
    tag: "Account",
    summary: "Change the account's settings",
    description: "Absent fields stay unchanged.",
    nullClears: true,
    body: Input({
      phrase_opt_out: Type.Optional(
        Nullable(StringEnum(PHRASE_OPT_OUT_MODES), {
          description: "null goes back to opt_out, where every account begins.",
        }),
      ),
      smart_encoding: Type.Optional(
        Nullable(Type.Boolean(), {
          description:
            "true replaces curly quotes, long dashes, special spaces and the like where that lets a text go out as GSM-7. null goes back to false, where every account begins.",
        }),
      ),
      redact_after_days: Type.Optional(
        Nullable(Type.Integer({ minimum: REDACT_AFTER_DAYS_MIN, maximum: REDACT_AFTER_DAYS_MAX }), {
          description:
            "Messages, verifications and batch rows older than this lose body and number for good, within a day; prices and states stay. null: never, where every account begins. It holds for both modes: once live access is granted, changing it needs a live key.",
        }),
      ),
      opt_in_required: Type.Optional(
        Nullable(Type.Boolean(), {
          description:
            "true refuses texts to people without an opt-in in the consent ledger that has not ended: opt_in_required. null goes back to false, where every account begins.",
        }),
      ),
      quiet_hours: Type.Optional(
        QuietHoursInput({
          description:
            "A text that would leave within them waits, queued, until they are over where it goes. Codes, automatic replies and answers within 24 hours of the recipient's own text do not. null: none.",
        }),
      ),
    }),
    answers: { 200: Account },
    errors: ["mode_mismatch"],
    example: { body: { phrase_opt_out: "flag" }, status: 200 },
  },
  "account.rollTwilioAuthToken": {
    method: "POST",
    path: "/v1/account/twilio_auth_token/roll",
    scope: "full_access",
    tag: "Account",
    summary: "Replace the auth token of the Twilio-compatible API",
    description:
      "Rolls the token of the key's mode; the other mode's stays. The old token is invalid at once, without overlap; callbacks, and retries of earlier failures, are signed with the new one.",
    secretAnswer: true,
    answers: { 200: Account },
    errors: [],
    example: { status: 200 },
  },
});
