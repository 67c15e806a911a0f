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
import { showOwnQuietHours } from "../accounts/index.ts";
import { presentFailure } from "../handover/index.ts";
import { toApiId } from "../platform/ids.ts";
import type { BatchRow, RecipientRow } from "./batch-row.ts";

/** How the API calls a recipient that is not with a carrier and not at its end. */
const HELD_AS: Readonly<Record<BatchStatus, BatchRecipientStatus>> = {
  scheduled: "queued",
  sending: "queued",
  paused: "paused",
  complete: "queued",
  canceled: "canceled",
};

function recipientStatus(batch: BatchStatus, state: BatchRecipientState): BatchRecipientStatus {
  if (state === "waiting" || state === "retrying") return HELD_AS[batch];
  return state === "handed" ? "queued" : state;
}

/** The states that the API calls by this name, in a batch of this status. */
export function statesCalled(
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

/** Counted from acceptance, or from the time it was scheduled for. */
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
    counts: presentCounts(row),
    created_at: formatTimestamp(row.created_at),
    started_at: time(row.started_at),
    completed_at: time(row.completed_at),
    canceled_at: time(row.canceled_at),
  };
}

export function presentRecipient(
  batch: Pick<BatchRow, "status" | "changed_at">,
  row: RecipientRow,
): BatchRecipient {
  const isHeld = row.state === "waiting" || row.state === "retrying";
  const failureCode = row.state === "failed" || row.state === "skipped" ? row.failure_code : null;
  return {
    object: "batch_recipient",
    index: row.index,
    to: row.to_number,
    status: recipientStatus(batch.status, row.state),
    variables: { ...row.variables },
    message_id: row.message_id === null ? null : toApiId("message", row.message_id),
    attempts: row.attempts,
    failure: failureCode === null ? null : presentFailure(failureCode, row.carrier_code),
    // A recipient that waits moves with the batch: held, queued again or canceled.
    updated_at: formatTimestamp(
      isHeld ? Math.max(row.updated_at, batch.changed_at) : row.updated_at,
    ),
  };
}

function time(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms);
}
