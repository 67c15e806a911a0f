import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page } from "../fields.ts";
import { LiftedBlocks, VerifyBlock } from "../schemas/verify-block.ts";

const account_id = Type.Optional(IdInput({ description: "Only blocks of this account." }));

export const operatorVerifyRoutes = defineRoutes({
  "operator.verifyBlocks.list": {
    method: "GET",
    path: "/operator/v1/verify/blocks",
    scope: "operator",
    tag: "Operator",
    summary: "List active blocks of fraud protection, newest first",
    description:
      "Ranges of phones blocked from receiving an account's codes. A block ends by itself after 12 hours. A block without an account, of the prefix +1, covers the service's own numbers: too many codes went unanswered in a day.",
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
      "For every account, or with account_id for one. Counters of the prefix are reset, so that the next code does not block it again at once.",
    params: Input({ prefix: Type.String({ description: "The prefix, as the list shows it." }) }),
    query: Input({ account_id }),
    answers: { 200: LiftedBlocks },
    errors: ["not_found"],
    example: { params: { prefix: "+14155550" }, status: 200 },
  },
});
