import { type Mode, Problem } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { requireMode } from "../../http/api/modes.ts";
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

/** The registration that a path names, locked until commit, or 404. */
export function lockRegistration(
  tx: Tx,
  account: AccountRef,
  apiId: string,
): Promise<RegistrationRow> {
  return named(tx, lockRegistrationRow, apiId, (id) => [account.shard, account.id, id]);
}

/** Refuses changes by keys of the other mode once a registration is submitted. */
export function requireSubmitter({ id, mode: submitted }: RegistrationRow, mode: Mode): void {
  if (submitted === null) return;
  requireMode(mode, { mode: submitted }, `The registration ${toApiId("registration", id)}`);
}

/** A registration of any account, for the operator. */
export function anyRegistration(db: Queryable, apiId: string): Promise<RegistrationRow> {
  return named(db, findRegistrationById, apiId, (id) => [id]);
}

/** A registration of any account, locked until commit. */
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
