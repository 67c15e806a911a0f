import { isTimeZone, momentOf, wallClockAt } from "../platform/time-zones.ts";
import { parseCron } from "./cron.ts";
import { parseRecurrence } from "./recurrence.ts";
import { refuse } from "./refuse.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";

/** When a schedule recurs, as it is stored. Exactly one of `rrule` and `cron` is there. */
export interface RuleText {
  readonly rrule: string | null;
  readonly cron: string | null;
  readonly time_zone: string;
  readonly start_at: number | null;
  readonly end_at: number | null;
  /** Where an rrule counts from when there is no `start_at`. */
  readonly created_at: number;
}

export interface Rule {
  /** The first occurrence after a moment; null when there is none. */
  nextAfter(ms: number): number | null;
}

const DAY_MS = 86_400_000;
/** Readings looked at for one occurrence: those of two hours of every minute, and some. */
const READINGS_PER_STEP_MAX = 500;

/**
 * Reads a rule, or refuses it with the field that is wrong. The rule itself knows no zones: it names
 * readings of a clock, and each reading is then a moment in the schedule's zone. So every rule behaves
 * alike where clocks change: what is skipped moves forward, what comes twice is used once.
 */
export function parseRule(text: RuleText): Rule {
  const { time_zone: zone, start_at: startAt, created_at: createdAt } = text;
  if (!isTimeZone(zone)) {
    throw refuse(
      "timezone",
      "timezone must be a name of the IANA's list of zones, such as America/New_York.",
    );
  }
  const anchorWallMs = wallClockAt(wholeSecond(startAt ?? createdAt), zone);
  const readings =
    text.rrule === null
      ? parseCron(text.cron ?? "")
      : parseRecurrence(text.rrule, anchorWallMs, startAt !== null);
  // Without a start the rule is anchored where it was made, which is no occurrence.
  const firstAt = startAt === null ? createdAt + 1 : wholeSecond(startAt);
  const lastAt = Math.min(text.end_at ?? Number.POSITIVE_INFINITY, endOf(readings, zone));
  return {
    nextAfter(ms) {
      const at = earliestFrom(readings, zone, Math.max(ms + 1, firstAt));
      return at !== null && at <= lastAt ? at : null;
    },
  };
}

/**
 * The earliest moment, from one on, that a reading of the rule stands for. Readings and moments run
 * in the same order but for one case: readings that a change of clocks skipped have moved forward,
 * among those that come after the change.
 */
function earliestFrom(readings: WallClockRule, zone: string, fromMs: number): number | null {
  const wallMs = wallClockAt(fromMs, zone);
  // Clocks put forward in the last day: what they skipped may lie ahead still.
  const skippedMs = Math.max(0, wallMs - (wallClockAt(fromMs - DAY_MS, zone) + DAY_MS));
  let earliest: number | null = null;
  let reading = readings.next(wallMs - 1 - skippedMs);
  for (let steps = 0; reading !== null && steps < READINGS_PER_STEP_MAX; steps += 1) {
    const moment = momentOf(reading, zone);
    if (moment >= fromMs && (earliest === null || moment < earliest)) earliest = moment;
    // A reading that was not moved is the clock's own: whatever follows it comes later.
    if (earliest !== null && reading >= wallClockAt(earliest, zone)) break;
    reading = readings.next(reading);
  }
  return earliest;
}

function endOf({ until }: WallClockRule, zone: string): number {
  if (until === null) return Number.POSITIVE_INFINITY;
  return "atMs" in until ? until.atMs : momentOf(until.wallMs, zone);
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
