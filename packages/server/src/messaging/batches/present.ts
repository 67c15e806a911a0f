import {
  type Batch,
  type BatchCounts,
  type BatchRecipient,
  type BatchRecipientState,
  type BatchRecipientStatus,
  type BatchStatus,
  batchRecipientMachine,
  formatTimestamp,
} from "@longwave/contract";
import { showOwnQuietHours } from "../../account/accounts/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { presentFailure } from "../messages/index.ts";
import type { BatchRow, ShownRecipient } from "./batch-row.ts";

/** Status in the API of a waiting or retrying recipient, by the status of its batch. */
const WAITING_STATUS: Readonly<Record<BatchStatus, BatchRecipientStatus>> = {
  scheduled: "queued",
  sending: "queued",
  paused: "paused",
  complete: "queued",
  canceled: "canceled",
};

function recipientStatus(batch: BatchStatus, state: BatchRecipientState): BatchRecipientStatus {
  if (state === "waiting" || state === "retrying") return WAITING_STATUS[batch];
  return state === "handed" ? "queued" : state;
}

/** States that the API shows as `status` in a batch of status `batch`. */
export function statesShownAs(
  batch: BatchStatus,
  status: BatchRecipientStatus,
): BatchRecipientState[] {
  return batchRecipientMachine.states.filter((state) => recipientStatus(batch, state) === status);
}

export function presentCounts(row: BatchRow): BatchCounts {
  const counts = {
    total: row.total,
    queued: 0,
    paused: 0,
    sent: 0,
    failed: 0,
    skipped: 0,
    canceled: 0,
  };
  for (const state of batchRecipientMachine.states)
    counts[recipientStatus(row.status, state)] += row[state];
  return counts;
}

/** Seconds from acceptance, or from the scheduled time, to expiry. */
function validFor({ expires_at, scheduled_at, created_at }: BatchRow): number | null {
  return expires_at === null
    ? null
    : Math.round((expires_at - (scheduled_at ?? created_at)) / 1_000);
}

export function presentBatch(row: BatchRow): Batch {
  return {
    id: toApiId("batch", row.id),
    object: "batch",
    name: row.name,
    status: row.status,
    mode: row.mode,
    from: row.from_number,
    body: row.body,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    topic_id: row.topic_id === null ? null : toApiId("topic", row.topic_id),
    scheduled_at: time(row.scheduled_at),
    valid_for: validFor(row),
    ...showOwnQuietHours(row.quiet_hours),
    metadata: { ...row.metadata },
    audience: row.audience,
    created_by: row.created_by,
    counts: presentCounts(row),
    created_at: formatTimestamp(row.created_at),
    started_at: time(row.started_at),
    completed_at: time(row.completed_at),
    canceled_at: time(row.canceled_at),
  };
}

export function presentRecipient(
  batch: Pick<BatchRow, "status" | "changed_at">,
  row: ShownRecipient,
): BatchRecipient {
  const isWaiting = row.state === "waiting" || row.state === "retrying";
  return {
    object: "batch_recipient",
    index: row.index,
    to: row.to_number,
    status: recipientStatus(batch.status, row.state),
    variables: { ...row.variables },
    metadata: { ...row.metadata },
    message_id: row.message_id === null ? null : toApiId("message", row.message_id),
    attempts: row.attempts,
    message_status: row.message_status,
    delivered_at: time(row.delivered_at),
    failure: failureOf(row),
    // A waiting recipient changes with its batch: paused, queued again or canceled.
    updated_at: formatTimestamp(
      isWaiting ? Math.max(row.updated_at, batch.changed_at) : row.updated_at,
    ),
  };
}

/** The recipient's own failure, else that of its message, which may come with a later receipt. */
function failureOf(row: ShownRecipient): BatchRecipient["failure"] {
  const isOver = row.state === "failed" || row.state === "skipped";
  if (isOver && row.failure_code !== null) {
    return presentFailure(row.failure_code, row.carrier_code);
  }
  const { message_failure: code, message_status: status } = row;
  return code !== null && status === "failed"
    ? presentFailure(code, row.message_carrier_code)
    : null;
}

function time(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms);
}
