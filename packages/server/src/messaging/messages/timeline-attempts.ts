import { formatTimestamp, type SubmitAttemptOutcome, type TimelineEntry } from "@longwave/contract";
import { type MessageRow, quietHoursEnd, retryDelayMsAfter } from "../handover/index.ts";

/** A hand-over as its table keeps it, or as the message tells of it: `open` while it is out. */
export interface AttemptRow {
  readonly attempt: number;
  readonly carrier: string;
  readonly outcome: SubmitAttemptOutcome | "open";
  readonly carrier_code: string | null;
  readonly handed_off_at: number;
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

/** What every attempt to hand a message over came to, in the order they were made. */
export function attemptEntries(row: MessageRow, recorded: readonly AttemptRow[]): TimelineEntry[] {
  if (row.direction === "inbound") return [];
  const entries: TimelineEntry[] = [];
  let at = firstHoldEnd(row) ?? row.created_at;
  for (let number = 1; number <= row.attempts; number += 1) {
    const attempt = recorded.find((one) => one.attempt === number) ?? lastInOrder(row, number);
    entries.push(...(attempt ? recordedEntries(row, attempt) : [unrecordedEntry(row, number, at)]));
    const answeredAt = attempt ? (attempt.answered_at ?? attempt.handed_off_at) : at;
    at = answeredAt + (retryDelayMsAfter(row, number) ?? 0);
  }
  return entries;
}

/** Until when quiet hours held a text as it was accepted; null where they did not. */
export function firstHoldEnd(row: MessageRow): number | null {
  return quietHoursEnd(row.quiet_hours, row.to_number, row.created_at);
}

/** The last hand-over, where it is out or was accepted: the message itself tells of it. */
function lastInOrder(row: MessageRow, number: number): AttemptRow | null {
  const { handed_at, carrier, sent_at } = row;
  if (number !== row.attempts || handed_at === null || carrier === null) return null;
  if (!row.is_out && sent_at === null) return null;
  return {
    attempt: number,
    carrier,
    outcome: row.is_out ? "open" : "accepted",
    carrier_code: null,
    handed_off_at: handed_at,
    answered_at: row.is_out ? null : sent_at,
  };
}

function recordedEntries(row: MessageRow, attempt: AttemptRow): TimelineEntry[] {
  const { carrier, attempt: number, carrier_code } = attempt;
  const details = { attempt: number, carrier, carrier_code };
  const at = attempt.answered_at ?? attempt.handed_off_at;
  const handed = entry(attempt.handed_off_at, "handed_over", `It was handed to ${carrier}.`, {
    attempt: number,
    carrier,
  });
  const said = carrier_code === null ? "" : ` It said: ${carrier_code}.`;
  switch (attempt.outcome) {
    case "open":
      return [handed];
    case "accepted":
      return [handed, entry(at, "carrier_accepted", `${carrier} accepted it.`, details)];
    case "refused":
      return [
        handed,
        entry(at, "carrier_rejected", `${carrier} refused it for good.${said}`, details),
      ];
    case "deferred": {
      const why = `${carrier} could not take it for now.${said} ${nextOf(row, number, at)}`;
      return [handed, entry(at, "carrier_deferred", why, details)];
    }
    case "unknown":
    case "resent": {
      const why = `The link to ${carrier} broke before its answer came. It is not sent again on a guess.`;
      return [handed, entry(at, "outcome_unknown", why, details)];
    }
  }
}

/**
 * The simulated network answers within the write, and where no carrier serves the number nothing is
 * handed over: the message itself tells of such attempts, each a delay of the schedule after the last.
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
    return entry(at, "carrier_rejected", "The simulated network refused it for good.", details);
  }
  const why = `The simulated network could not take it for now. ${nextOf(row, number, at)}`;
  return entry(at, "carrier_deferred", why, details);
}

/** When the attempt after this one was made, or is to be. */
function nextOf(row: MessageRow, number: number, atMs: number): string {
  const delayMs = retryDelayMsAfter(row, number);
  if (number < row.attempts && delayMs !== null) {
    return `The next attempt came at ${formatTimestamp(atMs + delayMs)}.`;
  }
  if (row.status === "queued" && row.next_attempt_at !== null) {
    return `The next attempt comes at ${formatTimestamp(row.next_attempt_at)}.`;
  }
  return "There was no further attempt.";
}
