import { normalizePhone, Problem } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { type ModedCaller, requireMode } from "../../http/api/modes.ts";
import type { NumberRow } from "./number-row.ts";
import { countAssignedNumbers, findNumberRow, lockNumberRow } from "./sql.ts";

export type PooledNumberRow = NumberRow & { readonly pools: readonly string[] };

/** The number that a path names, also after its release, or 404. */
export async function numberOf(
  db: Queryable,
  account: AccountRef,
  id: string,
): Promise<PooledNumberRow> {
  const phone = normalizePhone(id);
  const [row] = phone
    ? await db.query<PooledNumberRow>(findNumberRow, [account.shard, account.id, phone])
    : [];
  if (!row) throw notYours(id);
  return row;
}

/** The active number that a path names, locked until commit, or 404. */
export async function lockNumber(
  tx: Tx,
  account: AccountRef,
  id: string,
): Promise<PooledNumberRow> {
  const phone = normalizePhone(id);
  const [row] = phone
    ? await tx.query<PooledNumberRow>(lockNumberRow, [account.shard, account.id, phone])
    : [];
  if (!row) throw notYours(id);
  return row;
}

/**
 * Locks the active number that a path names, for a change or release. 403 unless it has the
 * caller's mode.
 */
export async function lockOwnNumber(
  tx: Tx,
  { account, mode }: ModedCaller,
  id: string,
): Promise<PooledNumberRow> {
  const row = await lockNumber(tx, account, id);
  requireMode(mode, row, row.phone_number);
  return row;
}

/** Number of active numbers assigned to a customer (a UUID). */
export async function countAssigned(
  db: Queryable,
  account: AccountRef,
  customerId: string,
): Promise<number> {
  const values = [account.id, customerId];
  const [row] = await db.query<{ numbers: number }>(countAssignedNumbers, values);
  return row?.numbers ?? 0;
}

function notYours(id: string): Problem {
  return new Problem("not_found", `The account has no number ${id.slice(0, 64)}.`);
}
