import {
  type FailureCode,
  formatTimestamp,
  type ScheduledMessage,
  type ScheduledMessageStatus,
} from "@longwave/contract";
import { showOwnQuietHours } from "../../account/accounts/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { presentFailure } from "../messages/index.ts";

export interface ScheduledRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly status: ScheduledMessageStatus;
  readonly mode: "test" | "live";
  readonly to_number: string;
  readonly sender: string;
  readonly body: string;
  readonly customer_id: string | null;
  readonly scheduled_at: number;
  readonly message_id: string | null;
  readonly failure_code: FailureCode | null;
  readonly created_at: number;
  readonly canceled_at: number | null;
  /** Seconds after the scheduled time within which to send; null: the default of any message. */
  readonly valid_for_seconds: number | null;
  /** Quiet hours of the message; null applies the account's at the scheduled time. */
  readonly quiet_hours: number | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export function presentScheduled(row: ScheduledRow): ScheduledMessage {
  return {
    id: toApiId("scheduled_message", row.id),
    object: "scheduled_message",
    status: row.status,
    mode: row.mode,
    to: row.to_number,
    from: row.sender,
    body: row.body,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    scheduled_at: formatTimestamp(row.scheduled_at),
    valid_for: row.valid_for_seconds,
    ...showOwnQuietHours(row.quiet_hours),
    metadata: { ...row.metadata },
    message_id: row.message_id === null ? null : toApiId("message", row.message_id),
    failure: row.failure_code === null ? null : presentFailure(row.failure_code, null),
    created_at: formatTimestamp(row.created_at),
    canceled_at: row.canceled_at === null ? null : formatTimestamp(row.canceled_at),
  };
}
