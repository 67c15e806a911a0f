import { ownedFinder } from "../api/owned.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { AutomationRow, RunRow } from "./run-row.ts";
import { findAutomation, findRun, lockAutomation } from "./sql.ts";

const automations = ownedFinder<AutomationRow>("automation", "automation");
const runs = ownedFinder<RunRow>("automation_run", "run");

/** The automation that a path names, or 404. */
export function automationOf(db: Queryable, account: AccountRef, id: string) {
  return automations.inPath(db, findAutomation, account, id);
}

/** The same, and nobody else changes it before the transaction is over. */
export function lockAutomationOf(tx: Tx, account: AccountRef, id: string) {
  return automations.inPath(tx, lockAutomation, account, id);
}

export function runOf(db: Queryable, account: AccountRef, id: string): Promise<RunRow> {
  return runs.inPath(db, findRun, account, id);
}
