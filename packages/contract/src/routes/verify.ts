import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import {
  IdInput,
  Input,
  ListQuery,
  Page,
  PhoneInput,
  StringEnum,
  TimestampQuery,
} from "../fields.ts";
import {
  VERIFY_APP_NAME_CHARS_MAX,
  VERIFY_STATS_HOURS_DEFAULT,
  VERIFY_STATS_HOURS_MAX,
} from "../limits.ts";
import { verificationMachine } from "../machines/verification.ts";
import { MetadataInput } from "../metadata.ts";
import {
  Verification,
  VerificationCheck,
  VerificationDecision,
  VerificationStats,
} from "../schemas/verification.ts";

const TAG = "Verification";
/** Longer input is no code in any spelling. */
const CODE_INPUT_CHARS_MAX = 40;

export const verifyRoutes = defineRoutes({
  "verify.start": {
    method: "POST",
    path: "/v1/verify",
    scope: "verify",
    tag: TAG,
    summary: "Text a one-time code to a phone",
    description:
      "While a verification of the phone is pending, a further call texts the same code again under the same id and resets neither attempts nor expiry. Nothing is billed for sending.",
    body: Input({
      phone: PhoneInput(),
      app_name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: VERIFY_APP_NAME_CHARS_MAX,
          description:
            "The name shown in the text: any printable characters, but no line break, nothing like a web address, no four digits in a row and no letters of different scripts.",
        }),
      ),
      from: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: "A number of yours instead of the service's own.",
        }),
      ),
      customer_id: Type.Optional(IdInput()),
      metadata: Type.Optional(
        MetadataInput({ description: "Kept with the verification; a resend keeps the first." }),
      ),
      ip: Type.Optional(
        Type.String({
          minLength: 2,
          maxLength: 45,
          description: "The address your user came from: fraud protection counts by it.",
        }),
      ),
    }),
    secretAnswer: true,
    answers: { 201: Verification },
    errors: [
      "unknown_customer",
      "customer_mismatch",
      "recipient_opted_out",
      "insufficient_credits",
      "verification_blocked",
      "sender_not_owned",
      "sender_not_registered",
      "mode_mismatch",
      "spend_limit_reached",
      "carrier_error",
    ],
    example: { body: { phone: "+15005550000", app_name: "Acme" }, status: 201 },
  },
  "verify.list": {
    method: "GET",
    path: "/v1/verify",
    scope: "verify",
    tag: TAG,
    summary: "List verifications, by their newest code",
    description:
      "Verifications of the key's mode, the one whose code went out last first. They stay listed for at least 90 days.",
    query: ListQuery({
      phone: Type.Optional(PhoneInput()),
      status: Type.Optional(
        StringEnum(verificationMachine.states, {
          description: "Only verifications that have this status now.",
        }),
      ),
      created_after: Type.Optional(
        TimestampQuery({ description: "Newest code at this time or later." }),
      ),
      created_before: Type.Optional(TimestampQuery({ description: "Newest code before this." })),
    }),
    answers: { 200: Page(Verification) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "verify.check": {
    method: "POST",
    path: "/v1/verify/check",
    scope: "verify",
    tag: TAG,
    summary: "Check the code that a person typed",
    description:
      "Looks at the newest verification of that phone in the key's mode. The right code approves it and, in live mode, bills it once: the only billable moment. Five checks, ten minutes.",
    body: Input({
      phone: PhoneInput(),
      code: Type.String({
        minLength: 1,
        maxLength: CODE_INPUT_CHARS_MAX,
        description: "4 to 10 digits; spaces and dashes are dropped.",
      }),
    }),
    answers: { 200: VerificationCheck },
    errors: ["not_found"],
    example: { body: { phone: "+15005550000", code: "123456" }, status: 200 },
  },
  "verify.stats": {
    method: "GET",
    path: "/v1/verify/stats",
    heavy: true,
    scope: "verify",
    tag: TAG,
    summary: "Count verifications by hour",
    description: "Codes requested, sent, approved and blocked, hour by hour.",
    query: Input({
      hours: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: VERIFY_STATS_HOURS_MAX,
          description: `How far back. Default ${VERIFY_STATS_HOURS_DEFAULT}.`,
        }),
      ),
    }),
    answers: { 200: VerificationStats },
    errors: [],
    example: { query: { hours: 24 }, status: 200 },
  },
  "verify.decisions": {
    method: "GET",
    path: "/v1/verify/decisions",
    scope: "verify",
    tag: TAG,
    summary: "List decisions of fraud protection, newest first",
    description: "Decisions on requests of the key's mode, kept for at least 90 days.",
    query: ListQuery({
      allowed: Type.Optional(Type.Boolean()),
      phone: Type.Optional(PhoneInput()),
    }),
    answers: { 200: Page(VerificationDecision) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "verify.get": {
    method: "GET",
    path: "/v1/verify/{id}",
    scope: "verify",
    tag: TAG,
    summary: "Read a verification, with its fraud decision",
    description:
      "With the decision of fraud protection: every rule, what it counted, and its threshold.",
    params: Input({ id: Type.String() }),
    answers: { 200: Verification },
    errors: ["not_found"],
    example: { params: { id: "ver_01jd0000000000000000000000" }, status: 200 },
  },
});
