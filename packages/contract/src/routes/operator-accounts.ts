import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { ACCOUNT_STATUSES, KEY_MODES, LIVE_ACCESS_STATES } from "../enums.ts";
import {
  Input,
  ListQuery,
  NOT_BLANK_PATTERN,
  Nullable,
  Page,
  PhoneInput,
  SingleLine,
  StringEnum,
  TimestampInput,
  Usd,
} from "../fields.ts";
import {
  KEY_NETWORKS_MAX,
  KEY_OVERLAP_HOURS_MAX,
  NAME_CHARS_MAX,
  NOTE_CHARS_MAX,
  SEARCH_CHARS_MAX,
} from "../limits.ts";
import {
  ApiKey,
  ClockReading,
  Credit,
  OperatorAccount,
  Scopes,
  VerifiedNumber,
} from "../schemas/account.ts";

const TAG = "Operator";
const accountParams = Input({ id: Type.String() });
const EXAMPLE_ACCOUNT = { id: "acct_01jd0000000000000000000000" };
const EXAMPLE_KEY = { id: "key_01jd0000000000000000000000" };

/** Operator calls for accounts, keys, credit, verified numbers and the test clock. */
export const operatorAccountRoutes = defineRoutes({
  "operator.accounts.create": {
    method: "POST",
    path: "/operator/v1/accounts",
    scope: "operator",
    tag: TAG,
    summary: "Create an account",
    description: "It has no keys yet: mint one with POST /operator/v1/accounts/{id}/keys.",
    body: Input({ name: SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX }) }),
    answers: { 201: OperatorAccount },
    errors: [],
    example: { body: { name: "Acme Dental" }, status: 201 },
  },
  "operator.accounts.list": {
    method: "GET",
    path: "/operator/v1/accounts",
    scope: "operator",
    tag: TAG,
    summary: "List accounts, newest first",
    description: "Filter by live_access to see who has asked for it.",
    query: ListQuery({
      status: Type.Optional(StringEnum(ACCOUNT_STATUSES)),
      live_access: Type.Optional(StringEnum(LIVE_ACCESS_STATES)),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          pattern: NOT_BLANK_PATTERN,
          description: "A part of the name, in any case.",
        }),
      ),
    }),
    answers: { 200: Page(OperatorAccount) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "operator.accounts.get": {
    method: "GET",
    path: "/operator/v1/accounts/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Read an account",
    description: "With its limits and its balance.",
    params: accountParams,
    answers: { 200: OperatorAccount },
    errors: ["not_found"],
    example: { params: EXAMPLE_ACCOUNT, status: 200 },
  },
  "operator.accounts.update": {
    method: "PATCH",
    path: "/operator/v1/accounts/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Suspend, grant live access, set limits",
    description: "Takes effect in every process within a second. Omitted fields keep their values.",
    params: accountParams,
    nullClears: true,
    body: Input({
      status: Type.Optional(StringEnum(ACCOUNT_STATUSES)),
      live_access: Type.Optional(StringEnum(LIVE_ACCESS_STATES)),
      rate_limit: Type.Optional(
        Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }), {
          description: "Requests a second; 0 is no limit, null the installation's default.",
        }),
      ),
      daily_message_quota: Type.Optional(
        Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), {
          description: "Live messages a UTC day; null the installation's default.",
        }),
      ),
    }),
    answers: { 200: OperatorAccount },
    errors: ["not_found"],
    example: {
      params: EXAMPLE_ACCOUNT,
      body: { live_access: "granted", daily_message_quota: 10_000 },
      status: 200,
    },
  },
  "operator.accounts.delete": {
    method: "DELETE",
    path: "/operator/v1/accounts/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Delete an account with everything that it owns",
    description:
      "Its keys and sign-ins end at once, and nothing more is sent. Within minutes its live numbers are released, and its messages, contacts, consent, events, money and audit log are erased, with the people who sign in to it alone. GET /operator/v1/account_deletions reports it, and names what remains. The installation's own audit log keeps who deleted it. It cannot be taken back: export what must be kept, the proofs of consent above all, first.",
    params: accountParams,
    query: Input({
      confirm: Type.String({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: "The account's name, repeated exactly.",
      }),
    }),
    answers: { 200: OperatorAccount },
    errors: ["not_found"],
    example: { params: EXAMPLE_ACCOUNT, query: { confirm: "Example" }, status: 200 },
  },
  "operator.keys.create": {
    method: "POST",
    path: "/operator/v1/accounts/{id}/keys",
    scope: "operator",
    tag: TAG,
    summary: "Mint a key, or import an older one by its hash",
    description:
      "The key itself is in this answer and in no other. A live key works once the account has live access.",
    params: accountParams,
    secretAnswer: true,
    body: Input({
      mode: StringEnum(KEY_MODES),
      name: Type.Optional(SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX })),
      scopes: Type.Optional(Scopes),
      expires_at: Type.Optional(
        TimestampInput({
          description: "Time from which calls are refused: ISO 8601 with a zone, or epoch ms.",
        }),
      ),
      allowed_ips: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
          minItems: 1,
          maxItems: KEY_NETWORKS_MAX,
          description: "IP addresses and CIDR blocks that may use the key.",
        }),
      ),
      sha256: Type.Optional(
        Type.String({
          pattern: "^[0-9a-f]{64}$",
          description:
            "SHA-256 of an older key, in lower-case hex: the key is imported, not minted.",
        }),
      ),
    }),
    answers: { 201: ApiKey },
    errors: ["not_found", "already_exists"],
    example: { params: EXAMPLE_ACCOUNT, body: { mode: "test", name: "Website" }, status: 201 },
  },
  "operator.keys.list": {
    method: "GET",
    path: "/operator/v1/accounts/{id}/keys",
    scope: "operator",
    tag: TAG,
    summary: "List an account's keys, newest first",
    description: "Revoked keys too, so that the log can be read.",
    params: accountParams,
    query: ListQuery({}),
    answers: { 200: Page(ApiKey) },
    errors: ["not_found"],
    example: { params: EXAMPLE_ACCOUNT, status: 200 },
  },
  "operator.keys.roll": {
    method: "POST",
    path: "/operator/v1/keys/{id}/roll",
    scope: "operator",
    tag: TAG,
    summary: "Replace a key; the old one is dead at once, or after an overlap",
    description: "The new key has the name, mode, scopes, end and networks of the old one.",
    params: accountParams,
    secretAnswer: true,
    bodyOptional: true,
    body: Input({
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: KEY_OVERLAP_HOURS_MAX,
          description: "Hours for which the old key keeps working. Default 0.",
        }),
      ),
    }),
    answers: { 201: ApiKey },
    errors: ["not_found"],
    example: { params: EXAMPLE_KEY, status: 201 },
  },
  "operator.keys.delete": {
    method: "DELETE",
    path: "/operator/v1/keys/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Revoke a key",
    description: "Holds in every process within a second, and cannot be taken back.",
    params: accountParams,
    answers: { 200: ApiKey },
    errors: ["not_found"],
    example: { params: EXAMPLE_KEY, status: 200 },
  },
  "operator.credits.create": {
    method: "POST",
    path: "/operator/v1/accounts/{id}/credits",
    scope: "operator",
    tag: TAG,
    summary: "Add credit to (or, with a negative amount, take it from) an account",
    description: "The answer has the balance as it is then. Nothing is charged to anybody.",
    params: accountParams,
    body: Input({
      amount_usd: Usd({ description: "At most six decimals, not 0." }),
      note: Type.Optional(SingleLine({ maxLength: NOTE_CHARS_MAX })),
    }),
    answers: { 201: Credit },
    errors: ["not_found"],
    example: { params: EXAMPLE_ACCOUNT, body: { amount_usd: 20, note: "Invoice 17" }, status: 201 },
  },
  "operator.verifiedNumbers.create": {
    method: "POST",
    path: "/operator/v1/accounts/{id}/verified_numbers",
    scope: "operator",
    tag: TAG,
    summary: "Add a phone of the account's own people",
    description:
      "A live text to such a phone may leave an unregistered number, and a sandbox text to it leaves for real when a carrier is configured.",
    params: accountParams,
    body: Input({ phone_number: PhoneInput() }),
    answers: { 201: VerifiedNumber },
    errors: ["not_found", "limit_reached"],
    example: { params: EXAMPLE_ACCOUNT, body: { phone_number: "+14155550123" }, status: 201 },
  },
  "operator.verifiedNumbers.list": {
    method: "GET",
    path: "/operator/v1/accounts/{id}/verified_numbers",
    scope: "operator",
    tag: TAG,
    summary: "List an account's verified numbers, newest first",
    description: "Numbers added by the operator, and numbers confirmed by the account.",
    params: accountParams,
    query: ListQuery({}),
    answers: { 200: Page(VerifiedNumber) },
    errors: ["not_found"],
    example: { params: EXAMPLE_ACCOUNT, status: 200 },
  },
  "operator.clock.get": {
    method: "GET",
    path: "/operator/v1/clock",
    scope: "operator",
    tag: TAG,
    summary: "Read the test clock",
    description: "404 unless the test clock is on (LONGWAVE_TEST_CLOCK=1).",
    answers: { 200: ClockReading },
    errors: ["not_found"],
    example: { status: 200 },
  },
  "operator.clock.advance": {
    method: "POST",
    path: "/operator/v1/clock/advance",
    scope: "operator",
    tag: TAG,
    summary: "Move the test clock forward and do everything that falls due",
    description: "Answers when all of it is done. 404 unless the test clock is on.",
    body: Input({ seconds: Type.Number({ minimum: 0, maximum: 366 * 86_400 }) }),
    answers: { 200: ClockReading },
    errors: ["not_found"],
    example: { body: { seconds: 60 }, status: 200 },
  },
});
