import { Problem } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { findAccount, findAccounts, findOpenAccount } from "./sql.ts";

/** The account with this UUID, read past any cache. */
export async function readAccount(db: Queryable, id: string): Promise<AccountRow | null> {
  const [row] = await db.query<AccountRow>(findAccount, [id]);
  return row ?? null;
}

/** Several accounts by their UUIDs, read past any cache. */
export async function readAccounts(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccountRow>> {
  const rows = await db.query<AccountRow>(findAccounts, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Account in an operator's path, or 404 if there is none or it was deleted. */
export async function accountOf(db: Queryable, id: string): Promise<AccountRow> {
  const uuid = fromApiId("account", id);
  const [account] = uuid ? await db.query<AccountRow>(findOpenAccount, [uuid]) : [];
  if (!account) throw new Problem("not_found", `There is no account ${id.slice(0, 64)}.`);
  return account;
}
