import {
  type EventData,
  formatTimestamp,
  type OccurrenceSkipReason,
  SCHEDULE_MOVES,
  type SchedulePauseReason,
} from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { NewEvent } from "../../events/log/index.ts";
import type { ScheduleRow } from "./schedule-row.ts";

type ScheduleEvent = NewEvent & { readonly accountId: string };

export function skippedEvent(
  schedule: ScheduleRow,
  reason: OccurrenceSkipReason,
  occurrenceAt: number,
): ScheduleEvent {
  const data: EventData<"schedule.occurrence_skipped"> = {
    schedule_id: toApiId("schedule", schedule.id),
    reason,
    occurrence_at: formatTimestamp(occurrenceAt),
  };
  const { account_id: accountId, mode } = schedule;
  return { type: "schedule.occurrence_skipped", mode, data, accountId };
}

/** Event of a schedule that paused itself, with the occurrence that caused the pause. */
export function pausedEvent(
  schedule: ScheduleRow,
  reason: SchedulePauseReason,
  occurrenceAt: number | null,
): ScheduleEvent {
  const data: EventData<"schedule.paused"> = {
    schedule_id: toApiId("schedule", schedule.id),
    reason,
    occurrence_at: occurrenceAt === null ? null : formatTimestamp(occurrenceAt),
  };
  const { account_id: accountId, mode } = schedule;
  return { type: SCHEDULE_MOVES.self_pause.emits, mode, data, accountId };
}
