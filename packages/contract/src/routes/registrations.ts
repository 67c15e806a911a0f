import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { REVIEW_DECISIONS } from "../enums.ts";
import { Input, ListQuery, Page, StringEnum } from "../fields.ts";
import { NOTE_CHARS_MAX } from "../limits.ts";
import { registrationMachine } from "../machines/registration.ts";
import { REGISTRATION_CODE_NAMES } from "../registration-codes/index.ts";
import {
  OperatorRegistration,
  PrefillInput,
  Registration,
  RegistrationChanges,
  RegistrationInput,
  RegistrationPrefill,
} from "../schemas/registration.ts";
import { registryIds } from "../schemas/registration-brand.ts";
import { networkLimitsInput } from "../schemas/registration-limits.ts";

const TAG = "Registrations";
const params = Input({ id: Type.String() });
const EXAMPLE = { id: "reg_01jd0000000000000000000000" };
const statusFilter = Type.Optional(
  StringEnum(registrationMachine.states, { description: "Only registrations with this status." }),
);

export const registrationRoutes = defineRoutes({
  "registrations.create": {
    method: "POST",
    path: "/v1/registrations",
    scope: "registrations",
    tag: TAG,
    summary: "Create a registration and check its website",
    description:
      "Reads the website, its privacy policy, terms and opt-in page, and checks them and the examples. Takes up to ten seconds; at most 30 checks an hour. With draft: true it is saved without a check.",
    body: RegistrationInput,
    nullClears: true,
    answers: { 201: Registration },
    errors: ["insufficient_credits"],
    example: {
      body: {
        business_name: "Hillside Dental",
        website: "https://hillside.example.com",
        use_case: "account_notification",
        draft: true,
      },
      status: 201,
    },
  },
  "registrations.prefill": {
    method: "POST",
    path: "/v1/registrations/prefill",
    scope: "registrations",
    tag: TAG,
    summary: "Suggest the fields of a registration",
    description:
      "Reads the website and suggests a name, the addresses of its pages and drafts of examples. Counts as a check; stores nothing.",
    body: PrefillInput,
    answers: { 200: RegistrationPrefill },
    errors: [],
    example: { body: { website: "https://hillside.example.com" }, status: 200 },
  },
  "registrations.list": {
    method: "GET",
    path: "/v1/registrations",
    scope: "registrations",
    tag: TAG,
    summary: "List registrations, newest first",
    description: "Each with its findings and guidance, as reading it alone shows them.",
    query: ListQuery({ status: statusFilter }),
    answers: { 200: Page(Registration) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "registrations.get": {
    method: "GET",
    path: "/v1/registrations/{id}",
    scope: "registrations",
    tag: TAG,
    summary: "Read a registration",
    description: "Every read repeats the checks of the examples, but not those of the website.",
    params,
    answers: { 200: Registration },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "registrations.recheck": {
    method: "POST",
    path: "/v1/registrations/{id}/recheck",
    scope: "registrations",
    tag: TAG,
    summary: "Correct a registration and check it again",
    description:
      "Any field may be sent to correct it; absent fields stay unchanged. When only examples change, the website's result is kept and nothing is fetched.",
    params,
    body: RegistrationChanges,
    bodyOptional: true,
    nullClears: true,
    answers: { 200: Registration },
    errors: ["insufficient_credits", "mode_mismatch", "not_found", "invalid_state"],
    example: { params: EXAMPLE, body: { samples_confirmed: true }, status: 200 },
  },
  "registrations.submit": {
    method: "POST",
    path: "/v1/registrations/{id}/submit",
    scope: "registrations",
    tag: TAG,
    summary: "Submit a registration for review",
    description:
      "Costs 4.00 USD with a live key. Only a registration that is ready can be submitted; one with a campaign_id needs no check and costs nothing, because nothing is filed. It then has the mode of the key: one submitted with a test key speaks for no live number, and only keys of its mode recheck it or submit it again.",
    params,
    answers: { 200: Registration },
    errors: [
      "insufficient_credits",
      "mode_mismatch",
      "not_found",
      "invalid_state",
      "spend_limit_reached",
    ],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.registrations.list": {
    method: "GET",
    path: "/operator/v1/registrations",
    scope: "operator",
    tag: "Operator",
    summary: "List the registrations of all accounts, newest first",
    description: "Filter by status to see registrations that need a review.",
    query: ListQuery({ status: statusFilter }),
    answers: { 200: Page(OperatorRegistration) },
    errors: [],
    example: { query: { status: "submitted" }, status: 200 },
  },
  "operator.registrations.get": {
    method: "GET",
    path: "/operator/v1/registrations/{id}",
    scope: "operator",
    tag: "Operator",
    summary: "Read a registration of any account",
    description: "With the findings on the website and in the examples, and its history.",
    params,
    answers: { 200: OperatorRegistration },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.registrations.review": {
    method: "POST",
    path: "/operator/v1/registrations/{id}/review",
    scope: "operator",
    tag: "Operator",
    summary: "Review a registration",
    description:
      "`in_review` from submitted; `approve` from submitted or in_review; `reject` from those and, to revoke it, from approved, suspended or expired. After the approval, `suspend` and `expire` stop its numbers until `reinstate`. `approve` with `override` and a note approves one whose check failed, free of charge, without a submission; with a `campaign_id`, of the registration or given here, also one that is a draft, ready or rejected.",
    params,
    body: Input({
      decision: StringEnum(REVIEW_DECISIONS, {
        description:
          "in_review takes it into review; approve and reject decide it; suspend, expire and reinstate follow what carriers do after the approval.",
      }),
      code: Type.Optional(
        StringEnum(REGISTRATION_CODE_NAMES, {
          description: "With reject, and only there: why; carrier.rejected when left out.",
        }),
      ),
      override: Type.Optional(
        Type.Boolean({
          description:
            "With approve, and only there: approves one that is checks_failed, or whose campaign is approved elsewhere. Needs a note.",
        }),
      ),
      ...registryIds,
      note: Type.Optional(
        Type.String({
          maxLength: NOTE_CHARS_MAX,
          description: "Note to the customer in addition to the code.",
        }),
      ),
    }),
    answers: { 200: OperatorRegistration },
    errors: ["not_found", "invalid_state"],
    example: { params: EXAMPLE, body: { decision: "approve" }, status: 200 },
  },
  "operator.registrations.limit": {
    method: "POST",
    path: "/operator/v1/registrations/{id}/limits",
    scope: "operator",
    tag: "Operator",
    summary: "Set the rates and daily caps of a registration",
    description:
      "Limits that networks granted its campaign. The server keeps to the smallest rate and the smallest cap, whatever the network of a recipient. Limits of the operator replace those of the registry, which then change nothing any more.",
    params,
    body: Input({ limits: networkLimitsInput }),
    answers: { 200: OperatorRegistration },
    errors: ["not_found"],
    example: {
      params: EXAMPLE,
      body: {
        limits: [
          { network: "AT&T", segments_per_minute: 240 },
          { network: "T-Mobile", segments_per_day: 10_000 },
        ],
      },
      status: 200,
    },
  },
});
