import type { AccountRow } from "../../account/accounts/index.ts";
import { accountOf, operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { Operator } from "../../http/api/caller.ts";
import type { Context } from "../../http/api/handler.ts";
import { requireName } from "./erase-accounts.ts";

const closeAccount = statement(
  "close_account",
  `update accounts set status = 'suspended', live_access = 'none', deleted_at = $2
    where id = $1 and deleted_at is null returning id`,
);
const revokeAllKeys = statement(
  "revoke_all_keys",
  "update api_keys set revoked_at = $2 where account_id = $1 and revoked_at is null",
);

/** Users who sign in to this account alone, and are no operators: they go with it. */
const findOwnUsers = statement(
  "find_own_users",
  `select m.user_id as id from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 and not u.is_operator
      and not exists (select from memberships o where o.user_id = m.user_id and o.account_id <> $1)`,
);

/** In this order, because sessions, links and memberships refer to users. */
const USER_STATEMENTS = [
  statement("delete_user_sessions", "delete from console_sessions where user_id = any($1::uuid[])"),
  statement(
    "delete_user_links",
    "delete from console_links where user_id = any($1::uuid[]) or created_by = any($1::uuid[])",
  ),
  statement("delete_user_memberships", "delete from memberships where user_id = any($1::uuid[])"),
  statement("delete_users", "delete from users where id = any($1::uuid[])"),
];
const endMemberships = statement(
  "end_memberships",
  "delete from memberships where account_id = $1",
);

/**
 * Closes the account for everybody, at once. Its numbers and rows go in the background; until then the account is
 * suspended, so that nothing is sent and nothing new is stored.
 */
export async function deleteAccount(
  { deps, caller, ip }: Pick<Context<Operator, Base>, "deps" | "caller" | "ip">,
  tx: Tx,
  id: string,
  confirm: string,
): Promise<AccountRow> {
  const account = await accountOf(tx, id);
  requireName(confirm, account.name);
  const now = new Date(deps.clock.now());
  const closed = await tx.query(closeAccount, [account.id, now]);
  // Another call deleted it meanwhile.
  if (closed.length === 0) return accountOf(tx, id);
  await tx.query(revokeAllKeys, [account.id, now]);
  const users = (await tx.query<{ id: string }>(findOwnUsers, [account.id])).map((row) => row.id);
  for (const step of USER_STATEMENTS) await tx.query(step, [users]);
  await tx.query(endMemberships, [account.id]);
  await recordForInstallation(deps, tx, {
    action: "account.deleted",
    actor: operatorActor(caller),
    targetId: toApiId("account", account.id),
    changes: { name: { from: account.name, to: null } },
    ip,
  });
  await notify(tx, "longwave_cache", account.id);
  return account;
}
