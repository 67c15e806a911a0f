import { RULE_OCCURRENCES_MAX } from "@longwave/contract";
import { isWithin, largestSet, partsOf, recurrenceOf } from "./recurrence-parts.ts";
import { compileRecurrence } from "./rrule-occurrences.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";
import { refuse } from "./wall-clock-rule.ts";

/**
 * Parses a recurrence rule anchored at a wall-clock reading. COUNT counts the anchor only if `anchorCounts`:
 * otherwise the anchor is no occurrence.
 */
export function parseRecurrence(
  text: string,
  anchorWallMs: number,
  anchorCounts: boolean,
): WallClockRule {
  const parts = partsOf(text);
  const recurrence = recurrenceOf(parts);
  const until = parts.get("UNTIL");
  const count = parts.get("COUNT");
  if (until !== undefined && count !== undefined) {
    throw refuse("rrule", "rrule may have COUNT or UNTIL, not both.");
  }
  const counted = count === undefined ? null : { count: countOf(count), anchorCounts };
  const rule = compileRecurrence(recurrence, anchorWallMs, counted);
  return {
    until: until === undefined ? null : untilOf(until),
    next: (wallMs) => rule.next(wallMs),
    get stepsTaken() {
      return rule.stepsTaken;
    },
  };
}

/** Refuses BYSETPOS positions that no period can reach, in rules being saved; stored rules ignore them. */
export function checkPositions(text: string): void {
  const recurrence = recurrenceOf(partsOf(text));
  const positions = recurrence.lists.BYSETPOS;
  if (positions === null) return;
  const { size, period } = largestSet(recurrence);
  const beyond = positions.find((position) => Math.abs(position) > size);
  if (beyond === undefined) return;
  const times = size === 1 ? "one occurrence" : `at most ${size} occurrences`;
  throw refuse(
    "rrule",
    `BYSETPOS in rrule asks for position ${beyond}, but the other parts of the rule give ${times} a ${period}. Use a position from 1 to ${size}, or from -1 to -${size} counted from the end.`,
  );
}

function countOf(text: string): number {
  if (!isWithin(text, RULE_OCCURRENCES_MAX)) {
    throw refuse(
      "rrule",
      `COUNT in rrule must be a whole number from 1 to ${RULE_OCCURRENCES_MAX}.`,
    );
  }
  return Number(text);
}

/** Parses UNTIL: a time in UTC, a local time, or a day, which is included. */
function untilOf(text: string): NonNullable<WallClockRule["until"]> {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text);
  if (match) {
    const [, year, month, day, hour = "23", minute = "59", second = "59", zone] = match;
    const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    if (!Number.isNaN(ms)) return zone === "Z" ? { atMs: ms } : { wallMs: ms };
  }
  throw refuse(
    "rrule",
    "UNTIL in rrule must be a day (20271231), a local time (20271231T170000) or one in UTC (20271231T170000Z).",
  );
}
