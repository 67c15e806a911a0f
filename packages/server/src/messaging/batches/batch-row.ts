import type {
  Batch,
  BatchRecipientState,
  BatchStatus,
  FailureCode,
  MessageStatus,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";

/** Row of `batches`. */
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
  /** Recipients whose message no carrier has accepted by then fail with `expired`. */
  readonly expires_at: number | null;
  /** Quiet hours of the batch; null applies the account's. */
  readonly quiet_hours: number | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly audience: Batch["audience"];
  /** API id of the key or the user. */
  readonly created_by: string;
}

/** A due batch with its account. */
export interface DueBatch extends BatchRow {
  readonly account_name: string;
  readonly account_status: AccountRow["status"];
  readonly live_access: AccountRow["live_access"];
  readonly rate_limit: number | null;
  readonly daily_message_quota: number | null;
  readonly phrase_opt_out: AccountRow["phrase_opt_out"];
  readonly smart_encoding: boolean;
  readonly account_quiet_hours: number | null;
  readonly account_opt_in_required: boolean;
  readonly account_created_at: number;
}

export function accountOf(batch: DueBatch): AccountRow {
  return {
    id: batch.account_id,
    shard: batch.shard,
    name: batch.account_name,
    status: batch.account_status,
    live_access: batch.live_access,
    rate_limit: batch.rate_limit,
    daily_message_quota: batch.daily_message_quota,
    phrase_opt_out: batch.phrase_opt_out,
    smart_encoding: batch.smart_encoding,
    quiet_hours: batch.account_quiet_hours,
    opt_in_required: batch.account_opt_in_required,
    redact_after_days: null,
    created_at: batch.account_created_at,
  };
}

/** Row of `batch_recipients`. */
export interface RecipientRow {
  readonly index: number;
  readonly to_number: string;
  readonly variables: Readonly<Record<string, string>> | null;
  /** Metadata of this recipient alone. */
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly state: BatchRecipientState;
  readonly message_id: string | null;
  readonly attempts: number;
  readonly failure_code: FailureCode | null;
  readonly carrier_code: string | null;
  readonly updated_at: number;
}

/** A recipient with the state of its message. */
export interface ShownRecipient extends RecipientRow {
  readonly message_status: MessageStatus | null;
  readonly delivered_at: number | null;
  readonly message_failure: FailureCode | null;
  readonly message_carrier_code: string | null;
}

/** Columns of a waiting recipient that its message is composed of. */
export type WaitingRow = Pick<RecipientRow, "index" | "to_number" | "variables" | "metadata">;
