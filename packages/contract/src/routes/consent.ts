import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { CONSENT_SOURCE_IMPORT, CONSENT_STATUSES } from "../enums.ts";
import {
  IdInput,
  Input,
  ListQuery,
  Page,
  PhoneInput,
  SingleLine,
  StringEnum,
  TimestampInput,
} from "../fields.ts";
import { CONSENT_IMPORT_NUMBERS_MAX, CONSENT_SOURCE_CHARS_MAX, NOTE_CHARS_MAX } from "../limits.ts";
import { Consent, ConsentHistory, ConsentImport, ConsentProof } from "../schemas/consent.ts";
import { ConsentBasisInput, ConsentEvidenceInput } from "../schemas/consent-evidence.ts";

const TAG = "Consent";
const EXAMPLE_PHONE = "+14155550123";
const phoneParams = Input({
  phone: Type.String({ description: "The phone number, in any form that a request may write it." }),
});
const Source = SingleLine({
  minLength: 1,
  maxLength: CONSENT_SOURCE_CHARS_MAX,
  description: "Source of the consent, in your words: web_form, signed_contract, call, …",
});

export const consentRoutes = defineRoutes({
  "consent.list": {
    method: "GET",
    path: "/v1/consent",
    scope: "consent",
    tag: TAG,
    summary: "List consent states, newest first",
    description:
      "One row per phone number and, where a customer's number was texted, per customer. Ordered by when a row came to be, so changes meanwhile move nothing.",
    query: ListQuery({
      status: Type.Optional(StringEnum(CONSENT_STATUSES)),
      phone_number: Type.Optional(PhoneInput()),
      customer_id: Type.Optional(IdInput()),
    }),
    answers: { 200: Page(Consent) },
    errors: ["unknown_customer"],
    example: { query: { status: "opted_out" }, status: 200 },
  },
  "consent.get": {
    method: "GET",
    path: "/v1/consent/{phone}",
    scope: "consent",
    tag: TAG,
    summary: "Read one number's state and history",
    description:
      "404 for a number without any record: the ledger does not forbid texts to it. With customer_id, the state that applies to texts sent for that customer.",
    params: phoneParams,
    query: Input({ customer_id: Type.Optional(IdInput()) }),
    answers: { 200: ConsentHistory },
    errors: ["not_found", "unknown_customer"],
    example: { params: { phone: EXAMPLE_PHONE }, status: 200 },
  },
  "consent.proof": {
    method: "GET",
    path: "/v1/consent/{phone}/proof",
    scope: "consent",
    tag: TAG,
    summary: "Export one number's evidence, to be checked without us",
    description:
      "Every entry about this number, with the data to verify offline that nothing was changed or left out.",
    params: phoneParams,
    answers: { 200: ConsentProof },
    errors: ["not_found"],
    example: { params: { phone: EXAMPLE_PHONE }, status: 200 },
  },
  "consent.record": {
    method: "POST",
    path: "/v1/consent",
    scope: "consent",
    tag: TAG,
    summary: "Record an opt-in or an opt-out",
    description:
      "201 when the ledger got an entry, 200 when the state was recorded already. An opt-in may follow a STOP; `source` documents why. No text is sent and no event emitted.",
    body: Input({
      phone_number: PhoneInput(),
      status: StringEnum(CONSENT_STATUSES),
      source: Source,
      note: Type.Optional(Type.String({ maxLength: NOTE_CHARS_MAX })),
      basis: Type.Optional(ConsentBasisInput),
      evidence: Type.Optional(ConsentEvidenceInput),
      customer_id: Type.Optional(
        IdInput({ description: "For this customer alone. Without it: for the whole account." }),
      ),
    }),
    answers: { 200: Consent, 201: Consent },
    errors: ["unknown_customer"],
    example: {
      body: {
        phone_number: EXAMPLE_PHONE,
        status: "opted_in",
        source: "web_form",
        evidence: {
          disclosure: "I agree to get offers from Acme by text. Reply STOP to end them.",
          page_url: "https://www.example.com/offers",
          ip: "203.0.113.7",
          form_version: "2026-11-02",
        },
      },
      status: 201,
    },
  },
  "consent.import": {
    method: "POST",
    path: "/v1/consent/import",
    heavy: true,
    scope: "consent",
    tag: TAG,
    summary: "Import up to 500 opt-ins and opt-outs",
    description:
      "For the whole account. An import never opts anyone back in: an opt-in of someone who has opted out, of the account or of any customer, is skipped. All rows are recorded together or none.",
    body: Input({
      numbers: Type.Array(
        Input({
          phone_number: Type.String({ maxLength: 200 }),
          status: StringEnum(CONSENT_STATUSES),
          date: Type.Optional(
            TimestampInput({
              description:
                "Time of the opt-in or opt-out: a date, ISO 8601 with a zone, or epoch milliseconds. Not in the future.",
            }),
          ),
          source: Type.Optional(
            SingleLine({
              minLength: 1,
              maxLength: CONSENT_SOURCE_CHARS_MAX,
              description: `Default ${CONSENT_SOURCE_IMPORT}.`,
            }),
          ),
          basis: Type.Optional(ConsentBasisInput),
          evidence: Type.Optional(ConsentEvidenceInput),
        }),
        { minItems: 1, maxItems: CONSENT_IMPORT_NUMBERS_MAX },
      ),
    }),
    answers: { 200: ConsentImport },
    errors: [],
    example: {
      body: {
        numbers: [{ phone_number: EXAMPLE_PHONE, status: "opted_out", date: "2026-03-01" }],
      },
      status: 200,
    },
  },
});
