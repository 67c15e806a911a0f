import { type Static, Type } from "typebox";
import {
  ACCOUNT_STATUSES,
  KEY_MODES,
  LIVE_ACCESS_STATES,
  PHRASE_OPT_OUT_MODES,
  VERIFIED_NUMBER_STATUSES,
} from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";
import { SCOPE_NAMES } from "../scopes.ts";
import { QuietHoursShown } from "./quiet-hours.ts";

export const Scopes = Nullable(
  Type.Array(StringEnum(SCOPE_NAMES), { minItems: 1, maxItems: SCOPE_NAMES.length }),
  { description: "Scopes of a restricted key; null means full access." },
);

/** The account as its own keys see it. */
export const Account = Resource("Account", {
  id: Id("account"),
  object: Type.Literal("account"),
  name: Type.String(),
  status: StringEnum(ACCOUNT_STATUSES),
  live_access: StringEnum(LIVE_ACCESS_STATES),
  balance_usd: Usd({
    description: "Prepaid balance minus reservations for texts in progress.",
  }),
  phrase_opt_out: StringEnum(PHRASE_OPT_OUT_MODES, {
    description: "Treatment of an opt-out in other words than a keyword: opt out, or only flag.",
  }),
  smart_encoding: Type.Boolean({
    description: "Whether typographic characters are replaced if a text then fits GSM-7.",
  }),
  quiet_hours: Nullable(QuietHoursShown, {
    description:
      "Quiet hours in the recipient's local time; codes, automatic replies and answers are exempt. null: none.",
  }),
  redact_after_days: Nullable(Type.Integer(), {
    description: "Days after which messages lose their body and the person's number; null: never.",
  }),
  opt_in_required: Type.Boolean({
    description:
      "Whether only people who have opted in may be texted. Answers within 24 hours of the person's own text, codes and verified numbers are exempt.",
  }),
  free_allowance: Type.Object(
    {
      texts_left: Type.Integer(),
      verifications_left: Type.Integer(),
      resets_at: Timestamp(),
    },
    { additionalProperties: false },
  ),
  billing: Type.Object(
    {
      enabled: Type.Boolean({
        description: "false: money is off in this installation. Nothing costs anything.",
      }),
      registration_usd: Type.Object(
        {
          campaign: Usd({ description: "Price of a 10DLC campaign." }),
          toll_free: Usd({ description: "Price of a toll-free verification." }),
        },
        {
          additionalProperties: false,
          description: "Price of a submission with a live key, by kind of registration.",
        },
      ),
    },
    { additionalProperties: false, description: "Whether the account pays, and for registering." },
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
  twilio_account_sid: Nullable(Type.String(), {
    description:
      "Sid of the account at the Twilio-compatible API (`AC` and 32 hex digits), the same in both modes; null while that API is not enabled.",
  }),
  twilio_verify_sid: Nullable(Type.String(), {
    description:
      "Sid of the account's only Verify service at the Twilio-compatible API (`VA` and 32 hex digits), the same in both modes; null while that API is not enabled.",
  }),
  twilio_auth_token: Nullable(Type.String(), {
    description:
      "Auth token of the Twilio-compatible API in this mode: password with the account's sid as user name, and signing token of callbacks. Only in GET and in the answer that rolls it, for keys with full access and admins, while that API is enabled; null otherwise.",
  }),
});
export type Account = Static<typeof Account>;

/** Application for live access, as written by the account. */
const LiveAccessRequest = Resource(
  "LiveAccessRequest",
  {
    company: Type.String({ description: "Name of the business that sends the texts." }),
    website: Type.String({
      description: "Address where the operator can see what the business does.",
    }),
    use_case: Type.String({ description: "Purpose of the texts." }),
    monthly_volume: Type.Integer({ description: "Expected texts per month." }),
    requested_at: Timestamp({ description: "Time of the latest request." }),
  },
  { description: "Application of an account to send real texts, for the operator to decide." },
);

/** The account as the operator sees it. */
export const OperatorAccount = Resource("OperatorAccount", {
  id: Id("account"),
  object: Type.Literal("account"),
  name: Type.String(),
  status: StringEnum(ACCOUNT_STATUSES),
  live_access: StringEnum(LIVE_ACCESS_STATES),
  balance_usd: Usd({ description: "Prepaid balance minus reservations, in US dollars." }),
  rate_limit: Nullable(Type.Integer(), {
    description: "Requests a second. null follows the installation's default; 0 is no limit.",
  }),
  daily_message_quota: Nullable(Type.Integer(), {
    description:
      "Live messages a UTC day: the account's own quota, else the installation's default. null: any number, where billing is off.",
  }),
  live_access_request: Nullable(LiveAccessRequest, {
    description: "The account's latest application for live access.",
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
  expires_at: Nullable(Timestamp(), {
    description: "Time from which calls are refused; null: never.",
  }),
  allowed_ips: Nullable(Type.Array(Type.String()), {
    description: "Networks, as CIDR blocks, that may use the key; null: any.",
  }),
});
export type ApiKey = Static<typeof ApiKey>;

export const VerifiedNumber = Resource(
  "VerifiedNumber",
  {
    object: Type.Literal("verified_number"),
    phone_number: Type.String(),
    status: StringEnum(VERIFIED_NUMBER_STATUSES, {
      description: "pending until the code that was texted to the phone has been confirmed.",
    }),
    created_at: Timestamp(),
    verified_at: Nullable(Timestamp(), {
      description: "Time of the confirmation; null while pending.",
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
  amount_usd: Usd({ description: "Change in US dollars; negative when credit was taken." }),
  balance_usd: Usd({ description: "Prepaid balance after the change, in US dollars." }),
  note: Nullable(Type.String()),
  created_at: Timestamp(),
});
export type Credit = Static<typeof Credit>;

export const ClockReading = Resource("ClockReading", {
  object: Type.Literal("clock"),
  now: Timestamp(),
});
export type ClockReading = Static<typeof ClockReading>;
