import { formatTimestamp, type Schedule, type ScheduleOccurrence } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import { presentFailure } from "../messages/index.ts";
import type { OccurrenceRow, ScheduleRow } from "./schedule-row.ts";

export function presentSchedule(row: ScheduleRow): Schedule {
  return {
    id: toApiId("schedule", row.id),
    object: "schedule",
    status: row.status,
    mode: row.mode,
    to: row.to_number,
    from: row.sender,
    body: row.body,
    rrule: row.rrule,
    cron: row.cron,
    timezone: row.time_zone,
    start_at: time(row.start_at),
    end_at: time(row.end_at),
    next_at: time(row.next_at),
    pause_reason: row.pause_reason,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

export function presentOccurrence(row: OccurrenceRow): ScheduleOccurrence {
  const { status, failure_code, carrier_code, message_id } = row;
  return {
    object: "schedule_occurrence",
    schedule_id: toApiId("schedule", row.schedule_id),
    occurrence_at: formatTimestamp(row.occurrence_at),
    status,
    message_id: message_id === null ? null : toApiId("message", message_id),
    reason: row.reason,
    failure: failure_code === null ? null : presentFailure(failure_code, carrier_code),
  };
}

/** Upcoming occurrence, which has no row yet. */
export function presentUpcoming(scheduleId: string, atMs: number): ScheduleOccurrence {
  return {
    object: "schedule_occurrence",
    schedule_id: toApiId("schedule", scheduleId),
    occurrence_at: formatTimestamp(atMs),
    status: "upcoming",
    message_id: null,
    reason: null,
    failure: null,
  };
}

function time(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms);
}
