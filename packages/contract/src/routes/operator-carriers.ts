import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page, PhoneInput, SingleLine } from "../fields.ts";
import { CREDENTIAL_CHARS_MAX, NAME_CHARS_MAX, TAKEN_NUMBERS_MAX } from "../limits.ts";
import {
  CallbackReplay,
  CarrierCallbacks,
  CarrierEntry,
  CarrierPage,
  CarrierPresets,
  CarrierReload,
  CarrierRemoval,
  KeptCallback,
  ProviderNumbers,
  TakenNumbers,
} from "../schemas/carrier.ts";

const params = Input({ name: Type.String({ description: "Name in the carriers file." }) });
const EXAMPLE = { name: "telnyx" };

export const operatorCarrierRoutes = defineRoutes({
  "operator.carriers.list": {
    method: "GET",
    path: "/operator/v1/carriers",
    scope: "operator",
    tag: "Operator",
    summary: "List the carrier links, in order of priority",
    description:
      "State of the whole installation: one process keeps each bind, and reports its state to the others every second. `numbers_without_carrier` lists the numbers that no carrier serves.",
    query: ListQuery({}),
    answers: { 200: CarrierPage },
    errors: [],
    example: { status: 200 },
  },
  "operator.carriers.reload": {
    method: "POST",
    path: "/operator/v1/carriers/reload",
    scope: "operator",
    tag: "Operator",
    summary: "Read the carriers file again",
    description:
      "Every process reads its file. Unchanged carriers keep their binds, the others are drained first. A file with an error changes nothing: the response is a 400 whose `param` is the path of the error, such as `carriers[1].bind`.",
    answers: { 200: CarrierReload },
    errors: ["invalid_request"],
    example: { status: 200 },
  },
  "operator.carriers.presets": {
    method: "GET",
    path: "/operator/v1/carriers/presets",
    scope: "operator",
    tag: "Operator",
    summary: "List the providers that a carrier can be added for",
    description:
      "Each with the fields of its entry. `public_url` is where the providers call back: without one they cannot.",
    answers: { 200: CarrierPresets },
    errors: [],
    example: { status: 200 },
  },
  "operator.carriers.create": {
    method: "POST",
    path: "/operator/v1/carriers",
    scope: "operator",
    tag: "Operator",
    summary: "Add a carrier of a provider",
    description:
      "Adds an entry to the carriers file, its secrets to a private file beside it, and reads the file again. Without `LONGWAVE_PUBLIC_URL`, the entry polls the provider if its API allows it. The new carrier serves no number until numbers are assigned to it. Servers on other machines have files of their own.",
    body: Input({
      name: Type.String({
        pattern: "^[A-Za-z0-9_-]{1,40}$",
        description: "Name of the carrier: letters, digits, _ and -.",
      }),
      preset: SingleLine({
        minLength: 1,
        maxLength: 40,
        description: "Provider, such as `telnyx`.",
      }),
      fields: Type.Record(
        Type.String({ pattern: "^[a-z_]{1,40}$" }),
        Type.String({ minLength: 1, maxLength: CREDENTIAL_CHARS_MAX }),
        {
          maxProperties: 20,
          description:
            "Fields of the provider's entry. Secrets are given in plain text, under the names that the list of providers gives.",
        },
      ),
      base_url: Type.Optional(
        SingleLine({
          minLength: 1,
          maxLength: 200,
          description: "Origin of the provider's API, where it is not the usual one.",
        }),
      ),
      private_address: Type.Optional(
        Type.Boolean({ description: "Whether base_url may have a private address." }),
      ),
    }),
    answers: { 201: CarrierEntry },
    errors: ["already_exists", "invalid_state"],
    example: {
      body: {
        name: "main",
        preset: "infobip",
        fields: { api_key: "0123456789abcdef" },
        base_url: "https://example.api.infobip.com",
      },
      status: 201,
    },
  },
  "operator.carriers.delete": {
    method: "DELETE",
    path: "/operator/v1/carriers/{name}",
    scope: "operator",
    tag: "Operator",
    summary: "Remove a carrier",
    description:
      "Takes its entry out of the carriers file, and the secrets that no other entry names out of the private file beside it, and reads the file again. Numbers stay with their accounts; `numbers_without_carrier` lists those whose messages wait for another carrier. The provider may still call the URLs that it has.",
    params,
    answers: { 200: CarrierRemoval },
    errors: ["not_found", "invalid_state"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.carriers.numbers": {
    method: "GET",
    path: "/operator/v1/carriers/{name}/numbers",
    scope: "operator",
    tag: "Operator",
    summary: "List the numbers that the provider holds for you",
    description:
      "Asks the provider with the carrier's credentials, and so checks them. `readable` is false where the provider's list cannot be read here.",
    params,
    answers: { 200: ProviderNumbers },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.carriers.takeNumbers": {
    method: "POST",
    path: "/operator/v1/carriers/{name}/numbers",
    scope: "operator",
    tag: "Operator",
    summary: "Take numbers of the provider over, as registered elsewhere",
    description:
      "Each becomes a live number of the account that the carrier serves. US local numbers send at once, on the operator's word: `reference` names the campaign at the provider. Numbers that the account holds already stay its own.",
    params,
    body: Input({
      account_id: IdInput({ description: "Account that gets the numbers." }),
      phone_numbers: Type.Array(PhoneInput(), {
        minItems: 1,
        maxItems: TAKEN_NUMBERS_MAX,
        description: "Numbers to take over, out of those that the provider lists.",
      }),
      reference: Type.Optional(
        SingleLine({
          minLength: 1,
          maxLength: NAME_CHARS_MAX,
          description: "Campaign or verification at the provider. Default: the carrier's name.",
        }),
      ),
    }),
    answers: { 200: TakenNumbers },
    errors: ["not_found", "number_unavailable", "invalid_state"],
    example: {
      params: EXAMPLE,
      body: {
        account_id: "acct_01jd0000000000000000000000",
        phone_numbers: ["+14155550123"],
        reference: "CMP-4711",
      },
      status: 200,
    },
  },
  "operator.carriers.setCallbacks": {
    method: "POST",
    path: "/operator/v1/carriers/{name}/callbacks",
    scope: "operator",
    tag: "Operator",
    summary: "Set the callback URL at the provider",
    description:
      "For the numbers that the carrier serves, where the provider's API allows it. Otherwise `is_set` is false, and `next` says what to set there.",
    params,
    answers: { 200: CarrierCallbacks },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.carriers.keptCallbacks": {
    method: "GET",
    path: "/operator/v1/carriers/{name}/kept_callbacks",
    scope: "operator",
    tag: "Operator",
    summary: "List callbacks that had no effect, newest first",
    description:
      "Callbacks that could not be read, and receipts that no message has, each with the reason and the paths that would match. The newest 500 of a carrier are kept for seven days, with bodies up to 16 KB.",
    params,
    query: ListQuery({}),
    answers: { 200: Page(KeptCallback) },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.carriers.replayCallbacks": {
    method: "POST",
    path: "/operator/v1/carriers/{name}/kept_callbacks/replay",
    scope: "operator",
    tag: "Operator",
    summary: "Read kept callbacks again",
    description:
      "After a change of the carrier's entry and a reload. Oldest first; what can be read now takes effect as if it came now, and is kept no longer.",
    params,
    answers: { 200: CallbackReplay },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
});
