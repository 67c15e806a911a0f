import type { Queryable } from "../db/database.ts";
import { statement } from "../db/statement.ts";

const findLiveHolders = statement(
  "find_live_holders",
  `select phone_number, account_id from numbers
    where phone_number = any($1::text[]) and mode = 'live' and released_at is null`,
);

/** Which accounts (UUIDs) hold which of these numbers live. */
export async function findHolders(
  db: Queryable,
  phones: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ phone_number: string; account_id: string }>(findLiveHolders, [
    phones,
  ]);
  return new Map(rows.map((row) => [row.phone_number, row.account_id]));
}
