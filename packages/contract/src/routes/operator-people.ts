import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page } from "../fields.ts";
import { OperatorPerson } from "../schemas/operator-person.ts";

const TAG = "Operator";
const EXAMPLE_PERSON = { id: "usr_01jd0000000000000000000000" };

/** People with the operator role in the console. */
export const operatorPeopleRoutes = defineRoutes({
  "operator.operators.list": {
    method: "GET",
    path: "/operator/v1/operators",
    scope: "operator",
    tag: TAG,
    summary: "List the people who run the installation, newest first",
    description:
      "People with the operator role: in the console they may make every call of the operator.",
    query: ListQuery({}),
    answers: { 200: Page(OperatorPerson) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "operator.operators.create": {
    method: "POST",
    path: "/operator/v1/operators",
    scope: "operator",
    tag: TAG,
    summary: "Grant the operator role",
    description:
      "To somebody who signs in to the console already. Links for a new password that were made for them before end.",
    body: Input({
      email: Type.String({
        minLength: 3,
        maxLength: 254,
        pattern: "^[^\\s@]+@[^\\s@]+$",
        description: "The email that they sign in with.",
      }),
    }),
    answers: { 201: OperatorPerson },
    errors: ["already_exists"],
    example: { body: { email: "grace@example.com" }, status: 201 },
  },
  "operator.operators.delete": {
    method: "DELETE",
    path: "/operator/v1/operators/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Revoke the operator role",
    description:
      "Holds in every process within a second; their accounts stay theirs. The last operator keeps the role: 409 `invalid_state`.",
    params: Input({ id: IdInput({ description: "The person's id, as the list shows it." }) }),
    answers: { 200: OperatorPerson },
    errors: ["not_found", "invalid_state"],
    example: { params: EXAMPLE_PERSON, status: 200 },
  },
});
