import type { Queryable } from "../../core/db/driver/database.ts";
import { findMemberNames } from "./sql.ts";

/** Names of those of these users (UUIDs) that are members of the account. */
export async function memberNames(
  db: Queryable,
  accountId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (userIds.length === 0) return new Map();
  const values = [accountId, [...new Set(userIds)]];
  const rows = await db.query<{ id: string; name: string | null }>(findMemberNames, values);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
