import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { NumberRow } from "./number-row.ts";

export interface RowFilters {
  /** In E.164. */
  readonly phone: string | null;
  readonly label: string | null;
  readonly belowId: string | null;
  readonly limit: number;
}

/** Rows of the account's active numbers, newest first, for other presentations of them. */
export function listNumberRows(
  db: Queryable,
  account: AccountRef,
  { phone, label, belowId, limit }: RowFilters,
): Promise<NumberRow[]> {
  const conditions: Fragment[] = [sql`account_id = ${account.id}`, raw("released_at is null")];
  if (phone !== null) conditions.push(sql`phone_number = ${phone}`);
  if (label !== null) conditions.push(sql`label = ${label}`);
  if (belowId !== null) conditions.push(sql`id < ${belowId}::uuid`);
  return db.query<NumberRow>(
    composed(
      "list_number_rows",
      sql`select * from numbers where ${join(conditions, " and ")} order by id desc limit ${limit}`,
    ),
  );
}

/** The active number of the account with this UUID, or null. */
export async function numberRowById(
  db: Queryable,
  account: AccountRef,
  id: string,
): Promise<NumberRow | null> {
  const [row] = await db.query<NumberRow>(
    composed(
      "find_number_by_id",
      sql`select * from numbers where id = ${id} and account_id = ${account.id} and released_at is null`,
    ),
  );
  return row ?? null;
}
