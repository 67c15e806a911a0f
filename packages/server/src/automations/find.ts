import { type AuditAction, Problem } from "@longwave/contract";
import { type AccountRow, actorOf, type Principal } from "../accounts/index.ts";
import { record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { fromApiId, toApiId } from "../platform/ids.ts";
import type { AutomationRow, RunRow } from "./run-row.ts";
import { findAutomation, findRun, lockAutomation } from "./sql.ts";

/** The automation that a path names; 404 when the account has none of that id. */
export function automationOf(db: Queryable, account: AccountRef, id: string) {
  return find(db, findAutomation, account, id);
}

/** The same, and nobody else changes it before the transaction is over. */
export function lockAutomationOf(tx: Tx, account: AccountRef, id: string) {
  return find(tx, lockAutomation, account, id);
}

async function find(
  db: Queryable,
  statement: Statement,
  account: AccountRef,
  id: string,
): Promise<AutomationRow> {
  const uuid = fromApiId("automation", id);
  const values = [account.shard, account.id, uuid];
  const [row] = uuid ? await db.query<AutomationRow>(statement, values) : [];
  if (!row) throw new Problem("not_found", `There is no automation ${id.slice(0, 64)}.`);
  return row;
}

export async function runOf(db: Queryable, account: AccountRow, id: string): Promise<RunRow> {
  const uuid = fromApiId("automation_run", id);
  const values = [account.shard, account.id, uuid];
  const [row] = uuid ? await db.query<RunRow>(findRun, values) : [];
  if (!row) throw new Problem("not_found", `There is no run ${id.slice(0, 64)}.`);
  return row;
}

/** Writes down who changed an automation. */
export async function tell(
  deps: Base,
  tx: Tx,
  caller: Principal,
  ip: string,
  action: AuditAction,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(deps, tx, {
    shard: caller.account.shard,
    accountId: caller.account.id,
    action,
    actor: actorOf(caller),
    targetId: toApiId("automation", id),
    changes,
    ip,
  });
}
