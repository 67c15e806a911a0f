import { formatTimestamp, microsToUsd, Problem, usdToMicros } from "@longwave/contract";
import { accountOf, auditOf } from "../accounts/index.ts";
import { record } from "../audit/index.ts";
import type { HandlersOf } from "../http/context.ts";
import { collectUnpaid } from "../numbers/index.ts";
import { expect } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { balanceOf, post } from "./ledger.ts";

const CREDIT_USD_MAX = 10_000_000;

/** The operator tops up (or, with a negative amount, corrects) an account's balance. */
export const operatorBillingHandlers: HandlersOf<"operator.credits.create"> = {
  "operator.credits.create": async ({ deps, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const account = await accountOf(tx, params.id);
      const micros = usdToMicros(body.amount_usd);
      if (micros === null || micros === 0 || Math.abs(body.amount_usd) > CREDIT_USD_MAX) {
        throw new Problem(
          "invalid_request",
          `amount_usd must not be 0, at most ${CREDIT_USD_MAX}, with at most six decimals.`,
          { param: "amount_usd" },
        );
      }
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
      expect(posted, "a new credit was in the ledger already");
      await record(deps, tx, {
        ...auditOf(account, "credit.created", ip),
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
          balance_usd: microsToUsd(balance.balance_micros - balance.reserved_micros),
          note,
          created_at: formatTimestamp(now),
        },
      };
    }),
};
