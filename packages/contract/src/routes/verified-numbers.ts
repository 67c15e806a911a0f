import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Page, PhoneInput, SingleLine } from "../fields.ts";
import {
  LIVE_ACCESS_TEXT_CHARS_MAX,
  LIVE_ACCESS_VOLUME_MAX,
  NAME_CHARS_MAX,
  OWN_PHONES_MAX,
  WEBSITE_URL_CHARS_MAX,
} from "../limits.ts";
import { Account, VerifiedNumber } from "../schemas/account.ts";

const TAG = "Account";
const phoneParams = Input({ phone: Type.String({ description: "The phone, in E.164." }) });
const EXAMPLE_PHONE = { phone: "+14155550123" };

/** The phones of the account's own people, and the way to live access. */
export const ownPhoneRoutes = defineRoutes({
  "verifiedNumbers.create": {
    method: "POST",
    path: "/v1/verified_numbers",
    scope: "full_access",
    tag: TAG,
    summary: "Enter a phone of your own people",
    description: `A code is texted to the phone from the service's own numbers, also with a test key; where the sandbox has no carrier, the answer carries it as test_code. Confirm it within ten minutes. Asked again meanwhile, the same code is texted again. A live text to a verified phone may leave an unregistered number, and a sandbox text to it leaves for real. At most ${OWN_PHONES_MAX} phones.`,
    secretAnswer: true,
    body: Input({
      phone_number: PhoneInput({ description: "A US or Canada phone that can get texts." }),
    }),
    answers: { 201: VerifiedNumber },
    errors: ["recipient_opted_out", "limit_reached", "carrier_error"],
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
    description: "Those that are verified, and those whose code has not been confirmed.",
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
    description: "Whether its code has been confirmed, and when.",
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
    description: "From then on it is texted as any other.",
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
      "The operator reviews it. Asked again meanwhile, the newest request counts; after a rejection it may be asked again.",
    body: Input({
      company: SingleLine({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: "Who would be texting.",
      }),
      website: Type.String({
        minLength: 1,
        maxLength: WEBSITE_URL_CHARS_MAX,
        description: "Where you can be found: an http or https address.",
      }),
      use_case: Type.String({
        minLength: 1,
        maxLength: LIVE_ACCESS_TEXT_CHARS_MAX,
        description: "What the texts are for.",
      }),
      monthly_volume: Type.Integer({
        minimum: 0,
        maximum: LIVE_ACCESS_VOLUME_MAX,
        description: "How many texts a month you expect.",
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
