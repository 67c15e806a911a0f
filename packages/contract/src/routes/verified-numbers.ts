import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Page, PhoneInput, SingleLine } from "../fields.ts";
import {
  LIVE_ACCESS_TEXT_CHARS_MAX,
  LIVE_ACCESS_VOLUME_MAX,
  NAME_CHARS_MAX,
  VERIFIED_NUMBER_SENDS_PER_ACCOUNT_DAY_MAX,
  VERIFIED_NUMBER_SENDS_PER_PHONE_DAY_MAX,
  VERIFIED_NUMBERS_MAX,
  WEBSITE_URL_CHARS_MAX,
} from "../limits.ts";
import { Account, VerifiedNumber } from "../schemas/account.ts";

const TAG = "Account";
const phoneParams = Input({ phone: Type.String({ description: "The phone, in E.164." }) });
const EXAMPLE_PHONE = { phone: "+14155550123" };

/** Phones of the account's own people, and requests for live access. */
export const verifiedNumberRoutes = defineRoutes({
  "verifiedNumbers.create": {
    method: "POST",
    path: "/v1/verified_numbers",
    scope: "full_access",
    tag: TAG,
    summary: "Enter a phone of your own people",
    description: `A code is texted to the phone from the service's own numbers, also with a test key; where the sandbox has no carrier, the answer carries it as test_code. Confirm it within ten minutes. Asked again meanwhile, the same code is texted again. A live text to a verified phone may leave an unregistered number, and a sandbox text to it leaves for real. At most ${VERIFIED_NUMBERS_MAX} phones. A code that leaves passes the fraud rules of POST /verify; an account sends at most ${VERIFIED_NUMBER_SENDS_PER_ACCOUNT_DAY_MAX} of them in a UTC day, and one phone gets at most ${VERIFIED_NUMBER_SENDS_PER_PHONE_DAY_MAX} from all accounts together.`,
    secretAnswer: true,
    body: Input({
      phone_number: PhoneInput({ description: "A US or Canada phone that can get texts." }),
    }),
    answers: { 201: VerifiedNumber },
    errors: ["recipient_opted_out", "limit_reached", "carrier_error", "verification_blocked"],
    example: { body: { phone_number: "+14155550123" }, status: 201 },
  },
  "verifiedNumbers.confirm": {
    method: "POST",
    path: "/v1/verified_numbers/confirm",
    scope: "full_access",
    tag: TAG,
    summary: "Confirm a phone by its code",
    description: "Five tries within ten minutes; then ask for a new code.",
    body: Input({
      phone_number: PhoneInput({ description: "The phone that was entered." }),
      code: Type.String({
        minLength: 1,
        maxLength: 20,
        description: "The six digits that the phone got; spaces and dashes are dropped.",
      }),
    }),
    answers: { 200: VerifiedNumber },
    errors: ["not_found"],
    example: { body: { phone_number: "+14155550123", code: "123456" }, status: 200 },
  },
  "verifiedNumbers.list": {
    method: "GET",
    path: "/v1/verified_numbers",
    scope: "full_access",
    tag: TAG,
    summary: "List the phones of your own people, newest first",
    description: "Confirmed numbers, and numbers whose code is pending.",
    query: ListQuery({}),
    answers: { 200: Page(VerifiedNumber) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "verifiedNumbers.get": {
    method: "GET",
    path: "/v1/verified_numbers/{phone}",
    scope: "full_access",
    tag: TAG,
    summary: "Read a phone of your own people",
    description: "Whether its code was confirmed, and when.",
    params: phoneParams,
    answers: { 200: VerifiedNumber },
    errors: ["not_found"],
    example: { params: EXAMPLE_PHONE, status: 200 },
  },
  "verifiedNumbers.delete": {
    method: "DELETE",
    path: "/v1/verified_numbers/{phone}",
    scope: "full_access",
    tag: TAG,
    summary: "Take a phone of your own people out",
    description: "Later texts to it are treated like any other.",
    params: phoneParams,
    answers: { 200: VerifiedNumber },
    errors: ["not_found"],
    example: { params: EXAMPLE_PHONE, status: 200 },
  },
  "liveAccess.request": {
    method: "POST",
    path: "/v1/live-access",
    scope: "full_access",
    tag: TAG,
    summary: "Ask for live access",
    description:
      "The operator reviews it. A newer request replaces a pending one; after a rejection a new request is possible.",
    body: Input({
      company: SingleLine({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: "Name of the business that sends the texts.",
      }),
      website: Type.String({
        minLength: 1,
        maxLength: WEBSITE_URL_CHARS_MAX,
        description: "Your website: an http or https address.",
      }),
      use_case: Type.String({
        minLength: 1,
        maxLength: LIVE_ACCESS_TEXT_CHARS_MAX,
        description: "Purpose of the texts.",
      }),
      monthly_volume: Type.Integer({
        minimum: 0,
        maximum: LIVE_ACCESS_VOLUME_MAX,
        description: "Expected texts per month.",
      }),
    }),
    answers: { 200: Account },
    errors: ["invalid_state"],
    example: {
      body: {
        company: "Acme Dental",
        website: "https://acme-dental.example.com",
        use_case: "Reminders of appointments to our patients.",
        monthly_volume: 5_000,
      },
      status: 200,
    },
  },
});
