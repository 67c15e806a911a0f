import { type AuditAction, Problem } from "@longwave/contract";
import { type AccountRow, actorOf, type Principal } from "../accounts/index.ts";
import { record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { fromApiId, toApiId } from "../platform/ids.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { findSchedule, lockSchedule } from "./sql.ts";

/** The schedule that a path names; 404 when the account has none of that id. */
export function scheduleOf(db: Queryable, account: AccountRow, id: string): Promise<ScheduleRow> {
  return find(db, findSchedule, account, id);
}

/** The same, and nobody else changes it before the transaction is over. */
export function lockScheduleOf(tx: Tx, account: AccountRow, id: string): Promise<ScheduleRow> {
  return find(tx, lockSchedule, account, id);
}

async function find(
  db: Queryable,
  statement: Statement,
  account: AccountRow,
  id: string,
): Promise<ScheduleRow> {
  const uuid = fromApiId("schedule", id);
  const values = [account.shard, account.id, uuid];
  const [row] = uuid ? await db.query<ScheduleRow>(statement, values) : [];
  if (!row) throw new Problem("not_found", `There is no recurring schedule ${id.slice(0, 64)}.`);
  return row;
}

/** Writes down who changed a schedule. */
export async function tell(
  deps: Base,
  tx: Tx,
  caller: Principal,
  ip: string,
  action: AuditAction,
  { id }: ScheduleRow,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(deps, tx, {
    shard: caller.account.shard,
    accountId: caller.account.id,
    action,
    actor: actorOf(caller),
    targetId: toApiId("schedule", id),
    changes,
    ip,
  });
}
