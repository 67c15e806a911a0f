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

/** Work that waits, by kind: none of it leaves any more. Reads indexes alone, whatever the account's size. */
const countWaiting = statement(
  "count_work_to_cancel",
  `select json_build_object(
     'messages', (select count(*) from message_statuses where shard = $1 and account_id = $2
                   and mode in ('test', 'live') and status = 'queued'),
     'scheduled_messages', (select count(*) from scheduled_messages where shard = $1 and account_id = $2
                             and status = 'pending'),
     'batches', (select count(*) from batches where shard = $1 and account_id = $2
                  and mode in ('test', 'live') and status in ('scheduled', 'sending', 'paused')),
     'schedules', (select count(*) from schedules where shard = $1 and account_id = $2 and due_at is not null),
     'automation_runs', (select count(*) from automation_runs where shard = $1 and account_id = $2
                          and status = 'running')) as canceled`,
  { profile: "scans" },
);
/** `numbers` of the live mode return to the stock, or to the carrier that they came from. */
const insertDeletion = statement(
  "insert_account_deletion",
  `insert into account_deletions (id, deleted_account_id, name, status, canceled, numbers, report, created_at)
   select $1, $2, $3, 'running', $4, coalesce(array_agg(n.phone_number order by n.phone_number), '{}'), '{}', $5
     from numbers n where n.account_id = $2 and n.mode = 'live' and n.released_at is null`,
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
  const [waiting] = await tx.query<{ canceled: object }>(countWaiting, [account.shard, account.id]);
  await tx.query(insertDeletion, [
    deps.ids.makeAt(now.getTime()),
    account.id,
    account.name,
    JSON.stringify(waiting?.canceled ?? {}),
    now,
  ]);
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
