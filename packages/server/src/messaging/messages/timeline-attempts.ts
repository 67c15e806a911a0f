import type { QuietLaw } from "@longwave/contract";
import { formatTimestamp, type SubmitAttemptOutcome, type TimelineEntry } from "@longwave/contract";
import { carrierCodeText } from "../../network/carriers/index.ts";
import { quietHoursEnd, retryDelayMsAfter } from "./due-times.ts";
import type { MessageRow } from "./message-row.ts";

/** A submit attempt, from its table or derived from the message; `open` while the carrier has not answered. */
export interface AttemptRow {
  readonly attempt: number;
  readonly carrier: string;
  readonly outcome: SubmitAttemptOutcome | "open";
  readonly carrier_code: string | null;
  readonly submitted_at: number;
  readonly answered_at: number | null;
}

export function entry(
  atMs: number,
  step: TimelineEntry["step"],
  description: string,
  details: Record<string, unknown> = {},
): TimelineEntry {
  return { at: formatTimestamp(atMs), step, description, details };
}

/** Entries of every submit attempt, in order. */
export function attemptEntries(
  row: MessageRow,
  recorded: readonly AttemptRow[],
  law: QuietLaw,
): TimelineEntry[] {
  if (row.direction === "inbound") return [];
  const entries: TimelineEntry[] = [];
  let at = deferralEnd(row, law) ?? row.created_at;
  for (let number = 1; number <= row.attempts; number += 1) {
    const attempt = recorded.find((one) => one.attempt === number) ?? lastAttempt(row, number);
    entries.push(...(attempt ? recordedEntries(row, attempt) : [unrecordedEntry(row, number, at)]));
    const answeredAt = attempt ? (attempt.answered_at ?? attempt.submitted_at) : at;
    at = answeredAt + (retryDelayMsAfter(row, number) ?? 0);
  }
  return entries;
}

/** End of the quiet hours that deferred a message at acceptance; null if none did. */
export function deferralEnd(row: MessageRow, law: QuietLaw): number | null {
  return quietHoursEnd(row.quiet_hours, row.to_number, row.created_at, law);
}

/** The last attempt if it is open or was accepted: the message row itself has its data. */
function lastAttempt(row: MessageRow, number: number): AttemptRow | null {
  const { submitted_at, carrier, sent_at } = row;
  if (number !== row.attempts || submitted_at === null || carrier === null) return null;
  if (!row.awaiting_carrier && sent_at === null) return null;
  return {
    attempt: number,
    carrier,
    outcome: row.awaiting_carrier ? "open" : "accepted",
    carrier_code: null,
    submitted_at: submitted_at,
    answered_at: row.awaiting_carrier ? null : sent_at,
  };
}

function recordedEntries(row: MessageRow, attempt: AttemptRow): TimelineEntry[] {
  const { carrier, attempt: number, carrier_code } = attempt;
  const details = { attempt: number, carrier, carrier_code };
  const at = attempt.answered_at ?? attempt.submitted_at;
  const submitted = entry(attempt.submitted_at, "handed_over", `Submitted to ${carrier}.`, {
    attempt: number,
    carrier,
  });
  const code = carrier_code === null ? "" : ` (${carrierCodeText(carrier_code)})`;
  switch (attempt.outcome) {
    case "open":
      return [submitted];
    case "accepted":
      return [submitted, entry(at, "carrier_accepted", `${carrier} accepted it.`, details)];
    case "refused":
      return [submitted, entry(at, "carrier_rejected", `${carrier} refused it${code}.`, details)];
    case "deferred": {
      const why = `${carrier} returned a temporary error${code}. ${nextOf(row, number, at)}`;
      return [submitted, entry(at, "carrier_deferred", why, details)];
    }
    case "unknown":
    case "resent": {
      const why = `The link to ${carrier} broke before its answer came. It may have been delivered, so it is not sent again.`;
      return [submitted, entry(at, "outcome_unknown", why, details)];
    }
  }
}

/**
 * Entry of an attempt without a row: by the simulated network, or without a carrier for the number. Its time
 * follows from the retry schedule.
 */
function unrecordedEntry(row: MessageRow, number: number, at: number): TimelineEntry {
  const details = { attempt: number };
  if (!row.simulated) {
    const why = `No carrier serves ${row.from_number}. ${nextOf(row, number, at)}`;
    return entry(at, "carrier_deferred", why, details);
  }
  if (number === row.attempts && row.sent_at !== null) {
    return entry(row.sent_at, "carrier_accepted", "The simulated network accepted it.", details);
  }
  if (number === row.attempts && row.failure_code === "carrier_rejected") {
    return entry(at, "carrier_rejected", "The simulated network refused it.", details);
  }
  const why = `The simulated network returned a temporary error. ${nextOf(row, number, at)}`;
  return entry(at, "carrier_deferred", why, details);
}

/** Sentence about the following attempt, past or planned. */
function nextOf(row: MessageRow, number: number, atMs: number): string {
  const delayMs = retryDelayMsAfter(row, number);
  if (number < row.attempts && delayMs !== null) {
    return `Retried at ${formatTimestamp(atMs + delayMs)}.`;
  }
  if (row.status === "queued" && row.next_attempt_at !== null) {
    return `Next attempt at ${formatTimestamp(row.next_attempt_at)}.`;
  }
  return "There was no further attempt.";
}
