import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";

const findLiveHolders = statement(
  "find_live_holders",
  `select phone_number, account_id from numbers
    where phone_number = any($1::text[]) and mode = 'live' and released_at is null`,
);

/** Accounts (UUIDs) that hold these live numbers, by number. */
export async function findHolders(
  db: Queryable,
  phones: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ phone_number: string; account_id: string }>(findLiveHolders, [
    phones,
  ]);
  return new Map(rows.map((row) => [row.phone_number, row.account_id]));
}
