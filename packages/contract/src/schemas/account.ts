import { type Static, Type } from "typebox";
import { ACCOUNT_STATUSES, KEY_MODES, LIVE_ACCESS_STATES, PHRASE_OPT_OUT_MODES } from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";
import { SCOPE_NAMES } from "../scopes.ts";

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
});
export type Account = Static<typeof Account>;

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

export const VerifiedNumber = Resource("VerifiedNumber", {
  object: Type.Literal("verified_number"),
  phone_number: Type.String(),
  created_at: Timestamp(),
});
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
