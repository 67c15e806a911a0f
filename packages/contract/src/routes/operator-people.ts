import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { ROLES } from "../enums.ts";
import { IdInput, Input, ListQuery, Page, StringEnum } from "../fields.ts";
import { OperatorInvitation, OperatorPerson } from "../schemas/operator-person.ts";

const TAG = "Operator";
const EmailInput = (description: string) =>
  Type.String({ minLength: 3, maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$", description });
const EXAMPLE_PERSON = { id: "usr_01jd0000000000000000000000" };

/** People with the operator role in the console, and invitations to the console of any account. */
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
      email: EmailInput("The email that they sign in with."),
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
  "operator.invitations.create": {
    method: "POST",
    path: "/operator/v1/accounts/{id}/invitations",
    scope: "operator",
    tag: TAG,
    summary: "Invite a person to the console of an account",
    description:
      "For an account that nobody can open yet, or whose members have left. The link is mailed where LONGWAVE_SMTP_URL is set, within the daily limits of invitations; the answer has it in any case.",
    params: Input({ id: IdInput({ description: "The account's id." }) }),
    secretAnswer: true,
    body: Input({
      email: EmailInput("The person's email, with which they will sign in."),
      role: Type.Optional(
        StringEnum(ROLES, { description: "Role in the account; left out: owner." }),
      ),
    }),
    answers: { 201: OperatorInvitation },
    errors: ["not_found", "already_exists"],
    example: {
      params: { id: "acct_01jd0000000000000000000000" },
      body: { email: "grace@example.com" },
      status: 201,
    },
  },
});
