import type { AccountRow } from "../api/caller.ts";
import { type Actor, type AuditEntry, record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { toApiId } from "../platform/ids.ts";
import { findAccountForConsole } from "./sql.ts";

/** How the audit log names a person. */
export function userActor(user: { userId: string; name: string | null; email: string }): Actor {
  return { type: "user", id: toApiId("user", user.userId), name: user.name ?? user.email };
}

/** Writes an entry into the account's audit log, in the transaction of the change. */
export async function recordForAccount(
  deps: Base,
  tx: Tx,
  accountId: string,
  entry: Omit<AuditEntry, "shard" | "accountId">,
): Promise<void> {
  const [account] = await tx.query<AccountRow>(findAccountForConsole, [accountId]);
  if (!account) return;
  await record(deps, tx, { ...entry, shard: account.shard, accountId });
}
