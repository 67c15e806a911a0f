import type {
  FailureCode,
  Mode,
  OccurrenceSkipReason,
  OccurrenceStatus,
  SchedulePauseReason,
  ScheduleStatus,
} from "@longwave/contract";

/** Row of `schedules`. */
export interface ScheduleRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly status: ScheduleStatus;
  readonly mode: Mode;
  readonly to_number: string;
  /** A number of the account, or the API id of a pool. */
  readonly sender: string;
  readonly body: string;
  readonly rrule: string | null;
  readonly cron: string | null;
  readonly time_zone: string;
  readonly start_at: number | null;
  readonly end_at: number | null;
  readonly next_at: number | null;
  /** Latest occurrence sent or skipped; later occurrences only may follow. */
  readonly last_at: number | null;
  readonly due_at: number | null;
  readonly failures: number;
  readonly failed_at: number | null;
  readonly pause_reason: SchedulePauseReason | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Outcome of one occurrence. */
export interface OccurrenceRow {
  readonly schedule_id: string;
  readonly occurrence_at: number;
  readonly status: OccurrenceStatus;
  readonly message_id: string | null;
  readonly failure_code: FailureCode | null;
  readonly carrier_code: string | null;
  readonly reason: OccurrenceSkipReason | null;
}
