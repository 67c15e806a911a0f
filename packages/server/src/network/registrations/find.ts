import { Problem } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { fromApiId } from "../platform/ids.ts";
import type { RegistrationRow } from "./registration-row.ts";
import {
  findRegistrationById,
  findRegistrationOwner,
  findRegistrationRow,
  lockRegistrationRow,
} from "./sql.ts";

/** The registration that a path names, or 404. */
export function registrationOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<RegistrationRow> {
  return named(db, findRegistrationRow, apiId, (id) => [account.shard, account.id, id]);
}

/** The same, locked until the transaction ends. */
export function lockRegistration(
  tx: Tx,
  account: AccountRef,
  apiId: string,
): Promise<RegistrationRow> {
  return named(tx, lockRegistrationRow, apiId, (id) => [account.shard, account.id, id]);
}

/** For the operator: whoever's it is. */
export function anyRegistration(db: Queryable, apiId: string): Promise<RegistrationRow> {
  return named(db, findRegistrationById, apiId, (id) => [id]);
}

/** The same, locked until the transaction ends. */
export async function lockAnyRegistration(tx: Tx, apiId: string): Promise<RegistrationRow> {
  const owner = await named<AccountRef>(tx, findRegistrationOwner, apiId, (id) => [id]);
  return lockRegistration(tx, owner, apiId);
}

async function named<Row = RegistrationRow>(
  db: Queryable,
  statement: Statement,
  apiId: string,
  values: (id: string) => unknown[],
): Promise<Row> {
  const id = fromApiId("registration", apiId);
  const [row] = id === null ? [] : await db.query<Row>(statement, values(id));
  if (row) return row;
  throw new Problem("not_found", `There is no registration ${apiId.slice(0, 64)}.`);
}
