import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, ListQuery, NOT_BLANK_PATTERN, Nullable, Page, SingleLine } from "../fields.ts";
import { EXTERNAL_ID_CHARS_MAX, NAME_CHARS_MAX, SEARCH_CHARS_MAX } from "../limits.ts";
import { Customer, Metadata } from "../schemas/customer.ts";
import { CustomerUsage } from "../schemas/usage.ts";
import { usageWindow } from "./usage.ts";

const TAG = "Customers";
const EXAMPLE_CUSTOMER = { id: "cus_01jd0000000000000000000000" };
const customerParams = Input({ id: Type.String() });
const CustomerName = SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX });
const ExternalId = SingleLine({
  minLength: 1,
  maxLength: EXTERNAL_ID_CHARS_MAX,
  description: "The account's own id of this customer; no two customers share one.",
});

export const customerRoutes = defineRoutes({
  "customers.create": {
    method: "POST",
    path: "/v1/customers",
    scope: "customers",
    tag: TAG,
    summary: "Create a customer",
    description:
      "Assign numbers to it with PATCH /v1/numbers/{id}: their texts, opt-outs and costs are then the customer's.",
    body: Input({
      name: CustomerName,
      external_id: Type.Optional(ExternalId),
      metadata: Type.Optional(Metadata),
    }),
    answers: { 201: Customer },
    errors: ["already_exists"],
    example: {
      body: { name: "Acme Dental", external_id: "crm-1042", metadata: { plan: "gold" } },
      status: 201,
    },
  },
  "customers.list": {
    method: "GET",
    path: "/v1/customers",
    scope: "customers",
    tag: TAG,
    summary: "List customers, newest first",
    description: "Deleted customers are not listed; lists of texts can still be filtered by them.",
    query: ListQuery({
      external_id: Type.Optional(ExternalId),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          pattern: NOT_BLANK_PATTERN,
          description: "A part of the name or of the external id, in any case.",
        }),
      ),
    }),
    answers: { 200: Page(Customer) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "customers.get": {
    method: "GET",
    path: "/v1/customers/{id}",
    scope: "customers",
    tag: TAG,
    summary: "Read a customer",
    description: "404 once it was deleted.",
    params: customerParams,
    answers: { 200: Customer },
    errors: ["not_found"],
    example: { params: EXAMPLE_CUSTOMER, status: 200 },
  },
  "customers.update": {
    method: "PATCH",
    path: "/v1/customers/{id}",
    scope: "customers",
    tag: TAG,
    summary: "Change a customer",
    description: "Absent fields stay unchanged; null clears; metadata is replaced as a whole.",
    params: customerParams,
    nullClears: true,
    body: Input({
      name: Type.Optional(CustomerName),
      external_id: Type.Optional(Nullable(ExternalId)),
      metadata: Type.Optional(Nullable(Metadata)),
    }),
    answers: { 200: Customer },
    errors: ["not_found", "already_exists"],
    example: { params: EXAMPLE_CUSTOMER, body: { name: "Acme Dental Group" }, status: 200 },
  },
  "customers.delete": {
    method: "DELETE",
    path: "/v1/customers/{id}",
    scope: "customers",
    tag: TAG,
    summary: "Delete a customer",
    description: "Refused while numbers are assigned to it. Its messages stay.",
    params: customerParams,
    answers: { 200: Customer },
    errors: ["not_found", "invalid_state"],
    example: { params: EXAMPLE_CUSTOMER, status: 200 },
  },
  "customers.usage": {
    method: "GET",
    path: "/v1/customers/{id}/usage",
    heavy: "alone",
    scope: "customers",
    tag: TAG,
    summary: "Read a customer's usage, by day",
    description:
      "Texts in and out and verifications of the key's mode, with what they cost, by calendar day: of UTC, or of `timezone`.",
    params: customerParams,
    query: Input(usageWindow),
    answers: { 200: CustomerUsage },
    errors: ["not_found"],
    example: { params: EXAMPLE_CUSTOMER, status: 200 },
  },
});
