import { type Account, formatTimestamp, microsToUsd } from "@longwave/contract";
import { type Actor, record } from "../audit/index.ts";
import { nextMonthMs } from "../billing/index.ts";
import { notify } from "../db/notifications.ts";
import type { Deps } from "../deps.ts";
import type { HandlersOf } from "../http/context.ts";
import { expect } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import type { AccountRow, Principal } from "./account-row.ts";
import { updateAccount } from "./sql.ts";

export const accountHandlers: HandlersOf<"account.get" | "account.update"> = {
  "account.get": async ({ deps, caller }) => ({
    status: 200,
    body: await presentAccount(deps, caller, caller.account),
  }),

  "account.update": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      const [row] = await tx.query<AccountRow>(updateAccount, [
        caller.account.id,
        null,
        null,
        false,
        null,
        null,
        body.phrase_opt_out ?? null,
      ]);
      const account = expect(row, "the caller's account is gone");
      await record(deps, tx, {
        shard: account.shard,
        accountId: account.id,
        action: "account.updated",
        actor: actorOf(caller),
        target: { type: "account", id: toApiId("account", account.id) },
        changes: body,
        ip,
      });
      await notify(tx, "longwave_cache", account.id);
      return { status: 200, body: await presentAccount(deps, caller, account) };
    }),
};

/** How the audit log names a caller with a key. */
export function actorOf(caller: Principal): Actor {
  return { type: "api_key", id: toApiId("api_key", caller.keyId), name: caller.keyName };
}

async function presentAccount(
  deps: Deps,
  caller: Principal,
  account: AccountRow,
): Promise<Account> {
  const standing = await deps.standings.add(account);
  return {
    id: toApiId("account", account.id),
    object: "account",
    name: account.name,
    status: account.status,
    live_access: account.live_access,
    balance_usd: microsToUsd(standing.balanceMicros),
    phrase_opt_out: account.phrase_opt_out,
    free_allowance: {
      texts_left: standing.textsLeft,
      verifications_left: standing.verificationsLeft,
      resets_at: formatTimestamp(nextMonthMs(deps.clock.now())),
    },
    key: {
      id: toApiId("api_key", caller.keyId),
      mode: caller.mode,
      scopes: caller.scopes ? [...caller.scopes] : null,
      name: caller.keyName,
    },
  };
}
