import { ownedFinder } from "../api/owned.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { findSchedule, lockSchedule } from "./sql.ts";

const schedules = ownedFinder<ScheduleRow>("schedule", "recurring schedule");

/** The schedule that a path names, or 404. */
export function scheduleOf(db: Queryable, account: AccountRef, id: string): Promise<ScheduleRow> {
  return schedules.inPath(db, findSchedule, account, id);
}

/** The same, and nobody else changes it before the transaction is over. */
export function lockScheduleOf(tx: Tx, account: AccountRef, id: string): Promise<ScheduleRow> {
  return schedules.inPath(tx, lockSchedule, account, id);
}
