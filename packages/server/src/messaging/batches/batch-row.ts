import type { BatchRecipientState, BatchStatus, FailureCode } from "@longwave/contract";

/** A batch as its table keeps it. */
export interface BatchRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly name: string | null;
  readonly status: BatchStatus;
  readonly mode: "test" | "live";
  readonly from_number: string;
  readonly body: string;
  readonly customer_id: string | null;
  readonly topic_id: string | null;
  readonly scheduled_at: number | null;
  readonly total: number;
  readonly waiting: number;
  readonly handed: number;
  readonly retrying: number;
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
  readonly due_at: number | null;
  readonly next_index: number;
  readonly wake_index: number | null;
  readonly retry_running: boolean;
  readonly created_at: number;
  readonly changed_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly canceled_at: number | null;
  /** Recipients whose text no carrier has taken by then fail `expired`. */
  readonly expires_at: number | null;
  /** Its own quiet hours; null: those of its account. */
  readonly quiet_hours: number | null;
}

/** One recipient of a batch as its table keeps it. */
export interface RecipientRow {
  readonly index: number;
  readonly to_number: string;
  readonly variables: Readonly<Record<string, string>> | null;
  readonly state: BatchRecipientState;
  readonly message_id: string | null;
  readonly attempts: number;
  readonly failure_code: FailureCode | null;
  readonly carrier_code: string | null;
  readonly updated_at: number;
}

/** What a turn reads of a recipient who waits: of all that a row has, what their text is made of. */
export type WaitingRow = Pick<RecipientRow, "index" | "to_number" | "variables">;
