import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { IdInput, Input, ListQuery, Page } from "../fields.ts";
import { AccountDeletion } from "../schemas/account-deletion.ts";

const TAG = "Operator";

/** Reports of deleted accounts. */
export const operatorAccountDeletionRoutes = defineRoutes({
  "operator.accountDeletions.list": {
    method: "GET",
    path: "/operator/v1/account_deletions",
    scope: "operator",
    tag: TAG,
    summary: "List deleted accounts, newest first",
    description: "With account_id, the deletion of this account.",
    query: ListQuery({
      account_id: Type.Optional(IdInput({ description: "Only the deletion of this account." })),
    }),
    answers: { 200: Page(AccountDeletion) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "operator.accountDeletions.get": {
    method: "GET",
    path: "/operator/v1/account_deletions/{id}",
    scope: "operator",
    tag: TAG,
    summary: "Read the report of an account's deletion",
    description: "Canceled work, released numbers, erased rows and remaining ones.",
    params: Input({ id: IdInput({ description: "The deletion's id, as the list shows it." }) }),
    answers: { 200: AccountDeletion },
    errors: ["not_found"],
    example: { params: { id: "adl_01jd0000000000000000000000" }, status: 200 },
  },
});
