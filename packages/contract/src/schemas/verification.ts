import { type Static, Type } from "typebox";
import { VERIFICATION_RULES } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { verificationMachine } from "../machines/verification.ts";
import { MetadataOf } from "../metadata.ts";

export const SeenRule = Resource(
  "VerificationRuleSeen",
  {
    rule: StringEnum(VERIFICATION_RULES),
    count: Type.Number({
      description: "Value that the rule compares with its threshold, this request included.",
    }),
    threshold: Type.Number({ description: "The highest count that the rule lets pass." }),
  },
  { description: "One rule of fraud protection with its count." },
);
export type SeenRule = Static<typeof SeenRule>;

const Decision = Type.Object(
  {
    allowed: Type.Boolean(),
    rules: Type.Array(SeenRule, { description: "Every evaluated rule." }),
  },
  { additionalProperties: false, description: "Decision of fraud protection; in GET only." },
);

const status = StringEnum(verificationMachine.states);

export const Verification = Resource(
  "Verification",
  {
    id: Id("verification"),
    object: Type.Literal("verification"),
    phone: E164(),
    status,
    app_name: Nullable(Type.String(), { description: "The name shown in the text." }),
    customer_id: Nullable(Id("customer")),
    from: Nullable(E164(), { description: "The number of yours it is sent from; null: ours." }),
    attempts: Type.Integer({ description: "Codes checked so far." }),
    max_attempts: Type.Integer(),
    charged: Type.Boolean({ description: "Whether it was billed." }),
    simulated: Type.Boolean({ description: "true when no text leaves the sandbox." }),
    created_at: Timestamp(),
    expires_at: Timestamp(),
    approved_at: Nullable(Timestamp()),
    metadata: MetadataOf("the verification by its first call"),
    test_code: Type.Optional(
      Type.String({
        pattern: "^\\d{6}$",
        description: "The code, in sandbox only.",
        examples: ["123456"],
      }),
    ),
    decision: Type.Optional(Decision),
  },
  { description: "A one-time code sent to a phone." },
);
export type Verification = Static<typeof Verification>;

export const VerificationCheck = Resource(
  "VerificationCheck",
  {
    verified: Type.Boolean(),
    status,
    attempts: Type.Integer({ description: "Codes checked so far, this one included." }),
    charged: Type.Boolean({ description: "Whether this call was billed." }),
  },
  { description: "Answer to a code that somebody typed: whether it is right, and what is left." },
);
export type VerificationCheck = Static<typeof VerificationCheck>;

export const VerificationDecision = Resource(
  "VerificationDecision",
  {
    object: Type.Literal("verification_decision"),
    verification_id: Nullable(Id("verification"), { description: "null when it was blocked." }),
    phone: E164(),
    allowed: Type.Boolean(),
    reason: Nullable(StringEnum(VERIFICATION_RULES), {
      description: "The rule that blocked it, or would have if rules were enforced.",
    }),
    rules: Type.Array(SeenRule),
    created_at: Timestamp(),
  },
  { description: "Decision of fraud protection about one text, with its reasons." },
);
export type VerificationDecision = Static<typeof VerificationDecision>;

const counts = {
  sent: Type.Integer({ description: "Texts with a code." }),
  approved: Type.Integer(),
  blocked: Type.Integer({ description: "Refused by fraud protection." }),
  conversion: Nullable(Type.Number(), {
    description: "Approved of started verifications, as a fraction of 1; null without any.",
  }),
};

export const VerificationStats = Resource(
  "VerificationStats",
  {
    object: Type.Literal("verification_stats"),
    hours: Type.Integer({ description: "Hours counted, the current one included." }),
    totals: Type.Object(counts, { additionalProperties: false }),
    data: Type.Array(
      Type.Object({ hour: Timestamp(), ...counts }, { additionalProperties: false }),
      { description: "The hours in which something happened, oldest first." },
    ),
  },
  { description: "Verifications by hour, of the key's mode." },
);
export type VerificationStats = Static<typeof VerificationStats>;
