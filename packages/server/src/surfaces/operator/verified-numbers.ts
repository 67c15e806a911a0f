import { accountOf, auditOf } from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import {
  listVerifiedNumbers,
  lockVerifiedNumber,
  presentVerifiedNumber,
  writeVerifiedNumber,
} from "../verified-numbers/index.ts";

type Names = "operator.verifiedNumbers.create" | "operator.verifiedNumbers.list";

/** Operator calls on the verified numbers of an account. */
export const operatorVerifiedNumberHandlers: HandlersOf<Names> = {
  "operator.verifiedNumbers.create": checking(
    textable,
    async ({ deps, caller, ip, transact }, { params, body }) => {
      const phone = textable(deps, { body });
      return transact(async (tx) => {
        const account = await accountOf(tx, params.id);
        const before = await lockVerifiedNumber(tx, account, phone, deps.clock.now());
        if (before?.verified_at != null)
          return { status: 201, body: presentVerifiedNumber(before) };
        const row = await writeVerifiedNumber(deps, tx, account, phone, "verified");
        await record(deps, tx, {
          ...auditOf(account, "verified_number.created", { caller, ip }),
          targetId: phone,
        });
        return { status: 201, body: presentVerifiedNumber(row) };
      });
    },
  ),

  "operator.verifiedNumbers.list": async ({ deps }, { params, query }) => {
    const account = await accountOf(deps.db, params.id);
    const scope = { list: "operator.verifiedNumbers.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const belowId = (page.after?.[0] as string | undefined) ?? null;
    const rows = await listVerifiedNumbers(deps.db, account, belowId, page.limit + 1);
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      presentVerifiedNumber,
    );
    return { status: 200, body };
  },
};

function textable(deps: Base, { body }: { body: { phone_number: string } }): string {
  return parseRecipient(deps, body.phone_number, "phone_number");
}
