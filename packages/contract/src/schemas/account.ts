import { type Static, Type } from "typebox";
import {
  ACCOUNT_STATUSES,
  KEY_MODES,
  LIVE_ACCESS_STATES,
  OWN_PHONE_STATUSES,
  PHRASE_OPT_OUT_MODES,
} from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";
import { SCOPE_NAMES } from "../scopes.ts";
import { QuietHoursShown } from "./quiet-hours.ts";

export const Scopes = Nullable(
  Type.Array(StringEnum(SCOPE_NAMES), { minItems: 1, maxItems: SCOPE_NAMES.length }),
  { description: "null means full access." },
);

/** The account as its own keys see it. */
export const Account = Resource("Account", {
  id: Id("account"),
  object: Type.Literal("account"),
  name: Type.String(),
  status: StringEnum(ACCOUNT_STATUSES),
  live_access: StringEnum(LIVE_ACCESS_STATES),
  balance_usd: Usd({
    description: "Prepaid balance less what is reserved for texts on their way.",
  }),
  phrase_opt_out: StringEnum(PHRASE_OPT_OUT_MODES, {
    description: "Whether an opt-out in other words than a keyword opts out or is only flagged.",
  }),
  smart_encoding: Type.Boolean({
    description:
      "Whether typographic characters are replaced where that lets a text go out as GSM-7.",
  }),
  quiet_hours: Nullable(QuietHoursShown, {
    description:
      "When texts wait until it is day where they go, codes, automatic replies and answers apart; null: never.",
  }),
  free_allowance: Type.Object(
    {
      texts_left: Type.Integer(),
      verifications_left: Type.Integer(),
      resets_at: Timestamp(),
    },
    { additionalProperties: false },
  ),
  key: Nullable(
    Type.Object(
      {
        id: Id("api_key"),
        mode: StringEnum(KEY_MODES),
        scopes: Scopes,
        name: Nullable(Type.String()),
      },
      { additionalProperties: false },
    ),
    { description: "The key that asks; null where a person asks in the console." },
  ),
  twilio_auth_token: Nullable(Type.String(), {
    description:
      "What callbacks of the Twilio-compatible door are signed with. Only in GET, for keys with full access and admins, while that door is open; null otherwise.",
  }),
});
export type Account = Static<typeof Account>;

/** What an account says of itself when it asks for live access. */
const LiveAccessRequest = Resource(
  "LiveAccessRequest",
  {
    company: Type.String({ description: "Who would be texting." }),
    website: Type.String({ description: "Where they can be found." }),
    use_case: Type.String({ description: "What the texts are for." }),
    monthly_volume: Type.Integer({ description: "How many texts a month they expect." }),
    requested_at: Timestamp({ description: "When they asked last." }),
  },
  { description: "What an account says of itself when it asks for live access." },
);

/** The account as the operator sees it. */
export const OperatorAccount = Resource("OperatorAccount", {
  id: Id("account"),
  object: Type.Literal("account"),
  name: Type.String(),
  status: StringEnum(ACCOUNT_STATUSES),
  live_access: StringEnum(LIVE_ACCESS_STATES),
  balance_usd: Usd(),
  rate_limit: Nullable(Type.Integer(), {
    description: "Requests a second. null follows the installation's default; 0 is no limit.",
  }),
  daily_message_quota: Type.Integer({ description: "Live messages a UTC day." }),
  live_access_request: Nullable(LiveAccessRequest, {
    description: "What the account said of itself when it last asked for live access.",
  }),
  created_at: Timestamp(),
});
export type OperatorAccount = Static<typeof OperatorAccount>;

export const ApiKey = Resource("ApiKey", {
  id: Id("api_key"),
  object: Type.Literal("api_key"),
  key: Nullable(Type.String(), {
    description: "The key itself: only in the answer that mints it, and null for imported keys.",
  }),
  mode: StringEnum(KEY_MODES),
  name: Nullable(Type.String()),
  scopes: Scopes,
  last4: Nullable(Type.String()),
  created_at: Timestamp(),
  last_used_at: Nullable(Timestamp(), {
    description:
      "The minute of its last call, written at most once a minute; null before the first.",
  }),
  revoked_at: Nullable(Timestamp()),
});
export type ApiKey = Static<typeof ApiKey>;

export const VerifiedNumber = Resource(
  "VerifiedNumber",
  {
    object: Type.Literal("verified_number"),
    phone_number: Type.String(),
    status: StringEnum(OWN_PHONE_STATUSES, {
      description: "pending until the code that was texted to the phone has been confirmed.",
    }),
    created_at: Timestamp(),
    verified_at: Nullable(Timestamp(), {
      description: "When it was confirmed; null while pending.",
    }),
    test_code: Type.Optional(
      Type.String({
        description:
          "The code, where the sandbox has no carrier to text it: only in the answer that makes it.",
      }),
    ),
  },
  {
    description:
      "A phone of the account's own people, which may be texted for real from the sandbox.",
  },
);
export type VerifiedNumber = Static<typeof VerifiedNumber>;

export const Credit = Resource("Credit", {
  object: Type.Literal("credit"),
  account_id: Id("account"),
  amount_usd: Usd(),
  balance_usd: Usd(),
  note: Nullable(Type.String()),
  created_at: Timestamp(),
});
export type Credit = Static<typeof Credit>;

export const ClockReading = Resource("ClockReading", {
  object: Type.Literal("clock"),
  now: Timestamp(),
});
export type ClockReading = Static<typeof ClockReading>;
