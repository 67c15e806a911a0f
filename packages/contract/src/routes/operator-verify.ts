import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page } from "../fields.ts";
import { LiftedBlocks, VerifyBlock } from "../schemas/verify-block.ts";

const account_id = Type.Optional(IdInput({ description: "Of this account alone." }));

export const operatorVerifyRoutes = defineRoutes({
  "operator.verifyBlocks.list": {
    method: "GET",
    path: "/operator/v1/verify/blocks",
    scope: "operator",
    tag: "Operator",
    summary: "List what fraud protection blocks now, newest first",
    description:
      "Ranges of phones that an account sends no codes to. A block ends by itself after 12 hours. One without an account, of the prefix +1, is that of the service's own numbers: too many codes went unanswered in a day.",
    query: ListQuery({ account_id }),
    answers: { 200: Page(VerifyBlock) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "operator.verifyBlocks.delete": {
    method: "DELETE",
    path: "/operator/v1/verify/blocks/{prefix}",
    scope: "operator",
    tag: "Operator",
    summary: "Lift a block",
    description:
      "For every account, or with account_id for one. What was counted for the prefix is forgotten, so that the next code does not block it again at once.",
    params: Input({ prefix: Type.String({ description: "The prefix, as the list shows it." }) }),
    query: Input({ account_id }),
    answers: { 200: LiftedBlocks },
    errors: ["not_found"],
    example: { params: { prefix: "+14155550" }, status: 200 },
  },
});
