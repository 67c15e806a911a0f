import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page, SingleLine } from "../fields.ts";
import { NAME_CHARS_MAX } from "../limits.ts";
import { OperatorToken } from "../schemas/operator-token.ts";

const TAG = "Operator";
const tokenParams = Input({
  id: IdInput({ description: "The token's id, as the list shows it." }),
});
const EXAMPLE_TOKEN = { id: "opt_01jd0000000000000000000000" };

/** Named tokens beside the installation's own. */
export const operatorTokenRoutes = defineRoutes({
  "operator.tokens.create": {
    method: "POST",
    path: "/operator/v1/tokens",
    scope: "operator",
    tag: TAG,
    summary: "Create a named operator token",
    description:
      "One for each person or program, so that each can be revoked alone and the audit log names it. It makes every call that the installation's own token makes. The token itself is in this answer and in no other.",
    secretAnswer: true,
    body: Input({ name: SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX }) }),
    answers: { 201: OperatorToken },
    errors: ["limit_reached"],
    example: { body: { name: "Deploy pipeline" }, status: 201 },
  },
  "operator.tokens.list": {
    method: "GET",
    path: "/operator/v1/tokens",
    scope: "operator",
    tag: TAG,
    summary: "List the operator tokens, newest first",
    description:
      "Revoked ones too, so that the audit log can be read. The installation's own token, of LONGWAVE_OPERATOR_TOKEN or the data folder, is not listed.",
    query: ListQuery({}),
    answers: { 200: Page(OperatorToken) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "operator.tokens.rotate": {
    method: "POST",
    path: "/operator/v1/tokens/{id}/rotate",
    scope: "operator",
    tag: TAG,
    summary: "Rotate an operator token; the old value is dead at once",
    description:
      "The token keeps its id and name and gets a new value. To change over without a gap, create a second token, and revoke the first when nothing uses it any more.",
    params: tokenParams,
    secretAnswer: true,
    answers: { 201: OperatorToken },
    errors: ["not_found"],
    example: { params: EXAMPLE_TOKEN, status: 201 },
  },
  "operator.tokens.delete": {
    method: "DELETE",
    path: "/operator/v1/tokens/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Revoke an operator token",
    description: "Holds in every process within a second, and cannot be taken back.",
    params: tokenParams,
    answers: { 200: OperatorToken },
    errors: ["not_found"],
    example: { params: EXAMPLE_TOKEN, status: 200 },
  },
});
