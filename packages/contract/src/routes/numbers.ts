import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { KEY_MODES, SMS_METHODS } from "../enums.ts";
import {
  IdInput,
  Input,
  ListQuery,
  NOT_BLANK_PATTERN,
  Nullable,
  Page,
  PhoneInput,
  SingleLine,
  StringEnum,
} from "../fields.ts";
import {
  CONTAINS_DIGITS_MAX,
  NAME_CHARS_MAX,
  SEARCH_CHARS_MAX,
  TAG_CHARS_MAX,
  TAGS_PER_NUMBER_MAX,
  WEBHOOK_URL_CHARS_MAX,
} from "../limits.ts";
import { AvailableNumber, PhoneNumber } from "../schemas/number.ts";

const TAG = "Numbers";
const EXAMPLE_NUMBER = { id: "+14155550123" };
const numberParams = Input({
  id: Type.String({ description: "The number: E.164, 10 digits, or common US formatting." }),
});
const NumberTag = SingleLine({ minLength: 1, maxLength: TAG_CHARS_MAX });

export const numberRoutes = defineRoutes({
  "numbers.available": {
    method: "GET",
    path: "/v1/numbers/available",
    scope: "numbers:read",
    tag: TAG,
    summary: "Search numbers that can be bought",
    description:
      "With a test key: the fictional numbers 555-0100 to 555-0199 of every US and Canada area code, except those of the account. With a live key: the operator's inventory. Sorted by number.",
    query: ListQuery({
      area_code: Type.Optional(
        Type.String({
          pattern: "^\\d{3}$",
          description: "Three digits of an area code in use in the US or Canada.",
        }),
      ),
      contains: Type.Optional(
        Type.String({
          pattern: `^\\d{1,${CONTAINS_DIGITS_MAX}}$`,
          description: "Digits that the ten digits of the number have in a row, anywhere.",
        }),
      ),
      locality: Type.Optional(
        SingleLine({
          minLength: 1,
          maxLength: NAME_CHARS_MAX,
          description: "The city, as the answers name it, in any case.",
        }),
      ),
      region: Type.Optional(
        Type.String({
          pattern: "^[A-Za-z]{2}$",
          description: "State or province, two letters.",
        }),
      ),
    }),
    answers: { 200: Page(AvailableNumber) },
    errors: [],
    example: { query: { area_code: "415" }, status: 200 },
  },
  "numbers.list": {
    method: "GET",
    path: "/v1/numbers",
    scope: "numbers:read",
    tag: TAG,
    summary: "List the account's active numbers, newest first",
    description: "Active numbers only. Filters can be combined.",
    query: ListQuery({
      customer_id: Type.Optional(IdInput({ description: "Numbers assigned to this customer." })),
      tag: Type.Optional(Type.String({ minLength: 1, maxLength: TAG_CHARS_MAX })),
      pool: Type.Optional(
        IdInput({ description: "Only members of the sender pool with this id." }),
      ),
      mode: Type.Optional(StringEnum(KEY_MODES)),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          pattern: NOT_BLANK_PATTERN,
          description: "Matches a part of the digits or of the label, in any case.",
        }),
      ),
    }),
    answers: { 200: Page(PhoneNumber) },
    errors: ["unknown_customer"],
    example: { query: { mode: "test" }, status: 200 },
  },
  "numbers.create": {
    method: "POST",
    path: "/v1/numbers",
    scope: "numbers:write",
    tag: TAG,
    summary: "Buy a number",
    description:
      "A test key buys a fictional number, free of charge; a live key one of the operator's stock, paid now and every month.",
    body: Input({
      phone_number: PhoneInput(),
      customer_id: Type.Optional(
        IdInput({
          description:
            "New holder: the number's texts carry that customer, and its opt-outs are theirs.",
        }),
      ),
      registration_id: Type.Optional(
        IdInput({
          description:
            "Live US local numbers only. Without it the number follows the account's registration.",
        }),
      ),
    }),
    answers: { 201: PhoneNumber },
    errors: [
      "unknown_customer",
      "unknown_registration",
      "number_not_registerable",
      "insufficient_credits",
      "number_unavailable",
      "registration_full",
      "spend_limit_reached",
    ],
    example: { body: { phone_number: "+14155550123" }, status: 201 },
  },
  "numbers.get": {
    method: "GET",
    path: "/v1/numbers/{id}",
    scope: "numbers:read",
    tag: TAG,
    summary: "Read a number, also after its release",
    description: "Also answers for a number that was released: its history stays readable.",
    params: numberParams,
    answers: { 200: PhoneNumber },
    errors: ["not_found"],
    example: { params: EXAMPLE_NUMBER, status: 200 },
  },
  "numbers.update": {
    method: "PATCH",
    path: "/v1/numbers/{id}",
    scope: "numbers:write",
    tag: TAG,
    summary: "Assign a number to a customer; label, tag and connect it",
    description:
      "Assigns the number to a customer, or to none with null; other absent fields stay unchanged.",
    params: numberParams,
    nullClears: true,
    body: Input({
      customer_id: Nullable(IdInput(), { description: "null takes the number from its customer." }),
      label: Type.Optional(Nullable(SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX }))),
      tags: Type.Optional(
        Nullable(Type.Array(NumberTag, { maxItems: TAGS_PER_NUMBER_MAX }), {
          description: "Replaces the tags; null or [] removes them all.",
        }),
      ),
      sms_url: Type.Optional(
        Nullable(Type.String({ minLength: 1, maxLength: WEBHOOK_URL_CHARS_MAX }), {
          description:
            "For programs written for Twilio. Takes the scopes webhooks:write and messages:send as well, and a server with the Twilio-compatible API; null removes it.",
        }),
      ),
      sms_method: Type.Optional(
        StringEnum(SMS_METHODS, {
          description: "Method of the calls to `sms_url`; POST at first.",
        }),
      ),
    }),
    answers: { 200: PhoneNumber },
    errors: ["unknown_customer", "mode_mismatch", "not_found"],
    example: {
      params: EXAMPLE_NUMBER,
      body: { customer_id: null, label: "Front desk", tags: ["support"] },
      status: 200,
    },
  },
  "numbers.delete": {
    method: "DELETE",
    path: "/v1/numbers/{id}",
    scope: "numbers:write",
    tag: TAG,
    summary: "Release a number",
    description:
      "It stops sending and receiving at once and leaves its pools. A live one rests for 30 days before it is sold again.",
    params: numberParams,
    answers: { 200: PhoneNumber },
    errors: ["mode_mismatch", "not_found"],
    example: { params: EXAMPLE_NUMBER, status: 200 },
  },
  "numbers.register": {
    method: "POST",
    path: "/v1/numbers/{id}/registration",
    scope: "numbers:write",
    liveOnly: true,
    tag: TAG,
    summary: "Tie a live US local number to a registration",
    description:
      "Needed only with more than one approved registration, or to retry a link that failed: without it a number follows the account's registration. Under an approved one the number is pending while it is being linked and then active; each change is an event. A registration holds at most 49 numbers.",
    params: numberParams,
    body: Input({ registration_id: IdInput() }),
    answers: { 200: PhoneNumber },
    errors: [
      "unknown_registration",
      "number_not_registerable",
      "not_found",
      "registration_full",
      "number_conflict",
    ],
    example: {
      params: EXAMPLE_NUMBER,
      body: { registration_id: "reg_01jd0000000000000000000000" },
      status: 200,
    },
  },
});
