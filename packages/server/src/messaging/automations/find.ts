import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { type ModedCaller, requireMode } from "../../http/api/modes.ts";
import { modedFinder, ownedFinder } from "../../http/api/owned.ts";
import type { AutomationRow, RunRow } from "./run-row.ts";
import { findAutomation, findRun, lockAutomation } from "./sql.ts";

const automations = ownedFinder<AutomationRow>("automation", "automation");
const runs = modedFinder<RunRow>("automation_run", "run");

/** Reads the automation of a path, or answers 404. */
export function automationOf(db: Queryable, account: AccountRef, id: string) {
  return automations.inPath(db, findAutomation, account, id);
}

/** Reads the automation of a path to change or start it: 403 if its mode is not the caller's. */
export function ownAutomationOf(db: Queryable, caller: ModedCaller, id: string) {
  return requireOwn(db, findAutomation, caller, id);
}

/** Like `ownAutomationOf`, with a row lock until the transaction ends. */
export function lockAutomationOf(tx: Tx, caller: ModedCaller, id: string) {
  return requireOwn(tx, lockAutomation, caller, id);
}

async function requireOwn(
  db: Queryable,
  find: Statement,
  { account, mode }: ModedCaller,
  id: string,
): Promise<AutomationRow> {
  const row = await automations.inPath(db, find, account, id);
  requireMode(mode, row, `The automation ${id}`);
  return row;
}

/** Reads the run of a path in the caller's mode, or answers 404. */
export function runOf(db: Queryable, caller: ModedCaller, id: string): Promise<RunRow> {
  return runs.inPath(db, findRun, caller, id);
}
