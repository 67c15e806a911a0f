import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { modedFinder } from "../../http/api/owned.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { findSchedule, lockSchedule } from "./sql.ts";

const schedules = modedFinder<ScheduleRow>("schedule", "recurring schedule");

/** Reads the schedule of a path in the caller's mode, or answers 404. */
export function scheduleOf(db: Queryable, caller: ModedCaller, id: string): Promise<ScheduleRow> {
  return schedules.inPath(db, findSchedule, caller, id);
}

/** Like `scheduleOf`, with a row lock until the transaction ends. */
export function lockScheduleOf(tx: Tx, caller: ModedCaller, id: string): Promise<ScheduleRow> {
  return schedules.inPath(tx, lockSchedule, caller, id);
}
