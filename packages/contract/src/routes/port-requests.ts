import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page, PhoneInput, SingleLine, StringEnum } from "../fields.ts";
import { NAME_CHARS_MAX, NOTE_CHARS_MAX } from "../limits.ts";
import { portRequestMachine } from "../machines/port-request.ts";
import { OperatorPortRequest, PortRequest } from "../schemas/port-request.ts";

const params = Input({ id: Type.String() });
const EXAMPLE = { id: "prt_01jd0000000000000000000000" };
const status = Type.Optional(StringEnum(portRequestMachine.states));
const phone_number = Type.Optional(
  PhoneInput({
    description: "Only requests for this number, in any accepted form.",
  }),
);

/** Numbers ported in from another provider: the account watches, the operator acts. */
export const portRequestRoutes = defineRoutes({
  "portRequests.list": {
    method: "GET",
    path: "/v1/port_requests",
    scope: "numbers:read",
    tag: "Numbers",
    summary: "List port requests, newest first",
    description:
      "Numbers being ported in from another provider. The importer creates requests, and the operator advances them.",
    query: ListQuery({ status, phone_number }),
    answers: { 200: Page(PortRequest) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "portRequests.get": {
    method: "GET",
    path: "/v1/port_requests/{id}",
    scope: "numbers:read",
    tag: "Numbers",
    summary: "Read a port request",
    description: "With the day on which the number moves, once the losing carrier has named it.",
    params,
    answers: { 200: PortRequest },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.portRequests.create": {
    method: "POST",
    path: "/operator/v1/port_requests",
    scope: "operator",
    tag: "Operator",
    summary: "Ask for a number to be ported to an account",
    description:
      "The number stays where it is until the request is complete. There is one open request for a number at most: a second one is a 409.",
    body: Input({
      account_id: IdInput({ description: "The account that the number comes to." }),
      phone_number: PhoneInput(),
      provider: SingleLine({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        description: "The provider that the number comes from, such as `twilio`.",
      }),
    }),
    answers: { 201: OperatorPortRequest },
    errors: ["invalid_state", "number_unavailable"],
    example: {
      body: {
        account_id: "acct_01jd0000000000000000000000",
        phone_number: "+12065552368",
        provider: "twilio",
      },
      status: 201,
    },
  },
  "operator.portRequests.list": {
    method: "GET",
    path: "/operator/v1/port_requests",
    scope: "operator",
    tag: "Operator",
    summary: "List the port requests of all accounts, newest first",
    description: "Filter by status to see requests that need action.",
    query: ListQuery({
      status,
      phone_number,
      account_id: Type.Optional(IdInput({ description: "Only requests of this account." })),
    }),
    answers: { 200: Page(OperatorPortRequest) },
    errors: [],
    example: { query: { status: "requested" }, status: 200 },
  },
  "operator.portRequests.get": {
    method: "GET",
    path: "/operator/v1/port_requests/{id}",
    scope: "operator",
    tag: "Operator",
    summary: "Read a port request of any account",
    description: "With the account that the number comes to.",
    params,
    answers: { 200: OperatorPortRequest },
    errors: ["not_found"],
    example: { params: EXAMPLE, status: 200 },
  },
  "operator.portRequests.update": {
    method: "PATCH",
    path: "/operator/v1/port_requests/{id}",
    scope: "operator",
    tag: "Operator",
    summary: "Move a port request on",
    description:
      "requested, submitted, foc_set (with foc_date), complete; rejected (with reason) from any of the first three, and requested again after that. complete puts the live number into the account and charges its first month; without credit it goes through and the number is unpaid.",
    params,
    nullClears: true,
    body: Input({
      status: StringEnum(portRequestMachine.states, {
        description: "State to move the request to.",
      }),
      reason: Type.Optional(
        SingleLine({
          minLength: 1,
          maxLength: NOTE_CHARS_MAX,
          description: "With rejected, and only there: why, in words that the customer reads.",
        }),
      ),
      foc_date: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 10,
          description: "With foc_set, and only there: the day of the move, such as 2026-12-01.",
        }),
      ),
    }),
    answers: { 200: OperatorPortRequest },
    errors: ["not_found", "invalid_state", "number_unavailable"],
    example: { params: EXAMPLE, body: { status: "submitted" }, status: 200 },
  },
});
