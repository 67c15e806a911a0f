import type { QuietLaw } from "@longwave/contract";
import { formatTimestamp, type MessageTimeline, type TimelineEntry } from "@longwave/contract";
import { showQuietHours } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { deliveriesOfMessage, type MessageDelivery } from "../../events/webhooks/index.ts";
import { quietHoursEnd } from "./due-times.ts";
import { encodingOf, isSmartEncoded, type MessageRow, presentFailure } from "./message-row.ts";
import { findAttempts, findReceipts } from "./sql.ts";
import { type AttemptRow, attemptEntries, deferralEnd, entry } from "./timeline-attempts.ts";

/** Every hop of a message, oldest first, in sentences a customer understands. */
export async function timelineOf(deps: Base, row: MessageRow): Promise<MessageTimeline> {
  const law = deps.quietLaws.current();
  const owner = [row.shard, row.account_id, row.id];
  const [attempts, receipts, deliveries] = await Promise.all([
    deps.db.query<AttemptRow>(findAttempts, owner),
    deps.db.query<{ payload: { raw: string }; received_at: number }>(findReceipts, [0, row.id]),
    deliveriesOfMessage(deps.db, { shard: row.shard, id: row.account_id }, row.id),
  ]);
  const entries = [
    firstEntry(row),
    ...quietEntries(row, law),
    ...attemptEntries(row, attempts, law),
    ...receipts.map((receipt) =>
      entry(receipt.received_at, "receipt", "The carrier sent a delivery receipt.", {
        raw: receipt.payload.raw,
      }),
    ),
    ...lastEntries(row, law),
    ...deliveries.map(webhookEntry),
  ];
  // Sorting is stable, so entries of one millisecond keep the order above.
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return {
    object: "message_timeline",
    message_id: toApiId("message", row.id),
    status: row.status,
    entries,
  };
}

/** Attempt with the endpoint's path, which tells the endpoints of one host apart. */
function webhookEntry({ delivery, url }: MessageDelivery): TimelineEntry {
  const { endpoint_id, event_id, event_type, attempt, ok, status_code, error } = delivery;
  const outcome = error ?? status_code;
  const details = {
    endpoint_id,
    endpoint_url: url,
    event_id,
    event_type,
    attempt,
    ok,
    status_code,
    error,
  };
  const endpoint = url === null ? "(deleted)" : endpointName(url);
  const description = `Webhook ${endpoint} · ${event_type} → ${outcome}`;
  return { at: delivery.created_at, step: "webhook_attempt", description, details };
}

function endpointName(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === "/" ? host : pathname;
}

function firstEntry(row: MessageRow): TimelineEntry {
  return row.direction === "inbound"
    ? entry(row.created_at, "received", `${row.from_number} texted ${row.to_number}.`)
    : entry(row.created_at, "accepted", acceptedSentence(row), {
        segments: row.segments,
        encoding: encodingOf(row),
        ...(isSmartEncoded(row) ? { smart_encoded: true } : {}),
      });
}

function acceptedSentence(row: MessageRow): string {
  const sentence = "The message was accepted and stored.";
  if (!isSmartEncoded(row)) return sentence;
  return `${sentence} Typographic characters were replaced, so that it goes out as GSM-7.`;
}

/** Entry that explains why quiet hours deferred the message. */
function quietEntries(row: MessageRow, law: QuietLaw): TimelineEntry[] {
  const hours = showQuietHours(row.quiet_hours);
  const end = deferralEnd(row, law);
  if (hours === null || end === null) return [];
  const until = formatTimestamp(end);
  const { start, end: over } = hours;
  const why = `Quiet hours from ${start} to ${over} in the recipient's time zone. Waits until ${until}.`;
  return [entry(row.created_at, "quiet_hours", why, { ...hours, until })];
}

function lastEntries(row: MessageRow, law: QuietLaw): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  if (row.delivered_at !== null) {
    entries.push(entry(row.delivered_at, "delivered", "The phone received it."));
  }
  if (row.failed_at !== null && row.failure_code !== null) {
    const failure = presentFailure(row.failure_code, row.carrier_code);
    entries.push(entry(row.failed_at, "failed", failure.explanation, { failure }));
  }
  if (row.next_attempt_at !== null) {
    entries.push(entry(row.next_attempt_at, "waiting", waitingFor(row, row.next_attempt_at, law)));
  }
  return entries;
}

function waitingFor(row: MessageRow, nextAtMs: number, law: QuietLaw): string {
  if (row.awaiting_carrier) {
    return "Without an answer from the carrier by then, the outcome counts as unknown.";
  }
  // Quiet hours end exactly at the next attempt: the message waits for their end.
  const isQuietBefore =
    quietHoursEnd(row.quiet_hours, row.to_number, nextAtMs - 1, law) === nextAtMs;
  return isQuietBefore
    ? "Quiet hours end in the recipient's time zone, and the message is sent."
    : "Next attempt.";
}
