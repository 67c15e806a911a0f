import {
  formatTimestamp,
  type MessageTimeline,
  type TimelineEntry,
  type WebhookDelivery,
} from "@longwave/contract";
import type { Base } from "../base.ts";
import type { MessageRow } from "../handover/index.ts";
import { presentFailure, retryDelayMsAfter } from "../handover/index.ts";
import { toApiId } from "../platform/ids.ts";
import { deliveriesOfMessage } from "../webhooks/index.ts";
import { findAttempts, findReceipts } from "./sql.ts";

interface AttemptRow {
  attempt: number;
  carrier: string;
  outcome: "open" | "accepted" | "refused" | "unknown";
  carrier_code: string | null;
  handed_off_at: number;
  answered_at: number | null;
}

/** Every hop of a message, oldest first, in sentences a customer understands. */
export async function timelineOf(deps: Base, row: MessageRow): Promise<MessageTimeline> {
  const owner = [row.shard, row.account_id, row.id];
  const [attempts, receipts, deliveries] = await Promise.all([
    deps.db.query<AttemptRow>(findAttempts, owner),
    deps.db.query<{ payload: { raw: string }; received_at: number }>(findReceipts, [0, row.id]),
    deliveriesOfMessage(deps.db, { shard: row.shard, id: row.account_id }, row.id),
  ]);
  const entries = [
    firstEntry(row),
    ...attempts.flatMap(attemptEntries),
    ...simulatedEntries(row, attempts.length),
    ...receipts.map((receipt) =>
      entry(receipt.received_at, "receipt", "The carrier sent a delivery receipt.", {
        raw: receipt.payload.raw,
      }),
    ),
    ...lastEntries(row),
    ...deliveries.map(webhookEntry),
  ];
  // Sorting is stable, so what happened in one millisecond stays in the order told above.
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return {
    object: "message_timeline",
    message_id: toApiId("message", row.id),
    status: row.status,
    entries,
  };
}

function entry(
  atMs: number,
  step: TimelineEntry["step"],
  description: string,
  details: Record<string, unknown> = {},
): TimelineEntry {
  return { at: formatTimestamp(atMs), step, description, details };
}

function webhookEntry(delivery: WebhookDelivery): TimelineEntry {
  const { endpoint_id, event_id, event_type, attempt, ok, status_code, error } = delivery;
  const outcome = error ? `failed: ${error}` : `was answered with ${status_code}`;
  const details = { endpoint_id, event_id, event_type, attempt, ok, status_code, error };
  const description = `The webhook ${event_type} ${outcome}.`;
  return { at: delivery.created_at, step: "webhook_attempt", description, details };
}

function firstEntry(row: MessageRow): TimelineEntry {
  return row.direction === "inbound"
    ? entry(row.created_at, "received", `${row.from_number} texted ${row.to_number}.`)
    : entry(row.created_at, "accepted", "The message was accepted and stored.", {
        segments: row.segments,
        encoding: row.encoding,
      });
}

function attemptEntries(attempt: AttemptRow): TimelineEntry[] {
  const { carrier, attempt: number, carrier_code } = attempt;
  const handed = entry(attempt.handed_off_at, "handed_over", `It was handed to ${carrier}.`, {
    attempt: number,
    carrier,
  });
  const at = attempt.answered_at ?? attempt.handed_off_at;
  const details = { attempt: number, carrier, carrier_code };
  if (attempt.outcome === "accepted") {
    return [handed, entry(at, "carrier_accepted", `${carrier} accepted it.`, details)];
  }
  if (attempt.outcome === "refused") {
    return [handed, entry(at, "carrier_rejected", `${carrier} refused it.`, details)];
  }
  if (attempt.outcome === "unknown") {
    const why = `The link to ${carrier} broke before its answer came. It is not sent again on a guess.`;
    return [handed, entry(at, "outcome_unknown", why, details)];
  }
  return [handed];
}

/**
 * In sandbox the simulated network answers within the write, so the row itself tells of it: all
 * attempts but an accepted one were refused, each a delay of the schedule after the one before.
 */
function simulatedEntries(row: MessageRow, recorded: number): TimelineEntry[] {
  if (recorded > 0 || !row.simulated || row.direction === "inbound") return [];
  const entries: TimelineEntry[] = [];
  const refused = row.sent_at === null ? row.attempts : row.attempts - 1;
  let at = row.created_at;
  for (let attempt = 1; attempt <= refused; attempt += 1) {
    const description = "The simulated network refused it.";
    entries.push(entry(at, "carrier_rejected", description, { attempt }));
    at += retryDelayMsAfter(row, attempt) ?? 0;
  }
  if (row.sent_at !== null) {
    const description = "The simulated network accepted it.";
    const details = { attempt: row.attempts };
    entries.push(entry(row.sent_at, "carrier_accepted", description, details));
  }
  return entries;
}

function lastEntries(row: MessageRow): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  if (row.delivered_at !== null) {
    entries.push(entry(row.delivered_at, "delivered", "The phone received it."));
  }
  if (row.failed_at !== null && row.failure_code !== null) {
    const failure = presentFailure(row.failure_code, row.carrier_code);
    entries.push(entry(row.failed_at, "failed", failure.explanation, { failure }));
  }
  if (row.next_attempt_at !== null) {
    entries.push(entry(row.next_attempt_at, "waiting", "This is when it is looked at next."));
  }
  return entries;
}
