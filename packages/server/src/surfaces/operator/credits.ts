import { formatTimestamp, microsToUsd, Problem, usdToMicros } from "@longwave/contract";
import { accountOf, auditOf } from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import { balanceOf, post } from "../../account/billing/index.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { collectUnpaid } from "../../network/numbers/index.ts";

const CREDIT_USD_MAX = 10_000_000;
/** Far above any account, far below the limit of exact integers. */
const BALANCE_MICROS_MAX = 1_000_000_000 * 1_000_000;

/** The operator tops up (or, with a negative amount, corrects) an account's balance. */
export const operatorBillingHandlers: HandlersOf<"operator.credits.create"> = {
  "operator.credits.create": async ({ deps, caller, ip, transact }, { params, body }) => {
    const micros = usdToMicros(body.amount_usd);
    if (micros === null || micros === 0 || Math.abs(body.amount_usd) > CREDIT_USD_MAX) {
      throw badAmount(
        `amount_usd must not be 0, at most ${CREDIT_USD_MAX}, with at most six decimals.`,
      );
    }
    return transact(async (tx) => {
      const account = await accountOf(tx, params.id);
      const now = deps.clock.now();
      const objectId = deps.ids.makeAt(now);
      const owner = { shard: account.shard, accountId: account.id };
      const note = body.note ?? null;
      const posted = await post(deps, tx, owner, {
        kind: "credit",
        objectId,
        amountMicros: micros,
        note,
      });
      const { available_micros } = expect(posted, "a new credit was in the ledger already");
      if (Math.abs(available_micros) > BALANCE_MICROS_MAX) {
        throw badAmount("amount_usd would take the balance beyond a billion dollars.");
      }
      await record(deps, tx, {
        ...auditOf(account, "credit.created", { caller, ip }),
        changes: { amount_usd: body.amount_usd, note },
      });
      await collectUnpaid(deps, tx, account);
      const balance = await balanceOf(tx, owner);
      return {
        status: 201,
        body: {
          object: "credit",
          account_id: toApiId("account", account.id),
          amount_usd: body.amount_usd,
          balance_usd: microsToUsd(balance.available_micros),
          note,
          created_at: formatTimestamp(now),
        },
      };
    });
  },
};

function badAmount(message: string): Problem {
  return new Problem("invalid_request", message, { param: "amount_usd" });
}
