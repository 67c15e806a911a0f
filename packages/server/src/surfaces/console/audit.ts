import type { AuditAction } from "@longwave/contract";
import {
  type Actor,
  type AuditEntry,
  record,
  recordForInstallation,
} from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { findAccountForConsole, findUser, listMemberships } from "./sql.ts";

/** How the audit log names a person. */
export function userActor(user: { userId: string; name: string | null; email: string }): Actor {
  return { type: "user", id: toApiId("user", user.userId), name: user.name ?? user.email };
}

/** Actions before authentication: the audit log names the system as their actor, not the person. */
const UNAUTHENTICATED_ACTIONS: ReadonlySet<AuditAction> = new Set([
  "user.locked",
  "reset_link.created",
]);
const SYSTEM: Actor = { type: "system", id: null, name: null };

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

type PersonAction = Extract<
  AuditAction,
  `session.${string}` | `user.${string}` | "reset_link.created"
>;

/**
 * Records an action of a person, such as a sign-in, in the audit log of each of their accounts. Operators and
 * people without an account get an entry in the installation's log. Accounts are locked in one order to avoid
 * deadlocks.
 */
export async function recordForPerson(
  deps: Base,
  tx: Tx,
  userId: string,
  { action, ip }: { action: PersonAction; ip: string },
): Promise<void> {
  const [user] = await tx.query<{ name: string | null; email: string; is_operator: boolean }>(
    findUser,
    [userId],
  );
  if (!user) return;
  const entry = {
    action,
    actor: UNAUTHENTICATED_ACTIONS.has(action) ? SYSTEM : userActor({ userId, ...user }),
    targetId: toApiId("user", userId),
    ip,
  };
  const accounts = await tx.query<AccountRow>(listMemberships, [userId]);
  const inOrder = accounts.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const { shard, id } of inOrder) {
    await record(deps, tx, { ...entry, shard, accountId: id });
  }
  if (user.is_operator || accounts.length === 0) await recordForInstallation(deps, tx, entry);
}
