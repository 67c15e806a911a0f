import type { AccountRow } from "../api/caller.ts";
import type { Queryable } from "../db/database.ts";
import { findAccount } from "./sql.ts";

/** The account with this UUID as it is now, past any cache. */
export async function readAccount(db: Queryable, id: string): Promise<AccountRow | null> {
  const [row] = await db.query<AccountRow>(findAccount, [id]);
  return row ?? null;
}
