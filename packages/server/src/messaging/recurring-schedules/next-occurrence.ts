import { isTimeZone, momentOf, wallClockAt } from "../../core/platform/time-zones.ts";
import { parseCron } from "./cron.ts";
import { parseRecurrence } from "./parse-rrule.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";
import { refuse } from "./wall-clock-rule.ts";

/** Stored rule of a schedule. Exactly one of `rrule` and `cron` is set. */
export interface StoredRule {
  readonly rrule: string | null;
  readonly cron: string | null;
  readonly time_zone: string;
  readonly start_at: number | null;
  readonly end_at: number | null;
  /** Anchor of an rrule without `start_at`. */
  readonly created_at: number;
}

export interface Rule {
  /** First occurrence after `ms`; null when there is none. */
  nextAfter(ms: number): number | null;
  /** Steps of the search so far: see day-search.ts. */
  readonly stepsTaken: number;
}

const DAY_MS = 86_400_000;
/** Readings examined for one occurrence: two hours of every minute, with a margin. */
const READINGS_PER_STEP_MAX = 500;

/**
 * Parses a rule, or refuses it naming the invalid field. Rules yield wall-clock readings without a zone; the
 * schedule's zone then turns each reading into a time. All rules therefore treat clock changes alike: a skipped
 * reading moves forward, and a repeated reading counts once.
 */
export function parseRule(stored: StoredRule): Rule {
  const { time_zone: zone, start_at: startAt, created_at: createdAt } = stored;
  if (!isTimeZone(zone)) {
    throw refuse(
      "timezone",
      "timezone must be a name of the IANA's list of zones, such as America/New_York.",
    );
  }
  const anchorWallMs = wallClockAt(wholeSecond(startAt ?? createdAt), zone);
  const readings =
    stored.rrule === null
      ? parseCron(stored.cron ?? "")
      : parseRecurrence(stored.rrule, anchorWallMs, startAt !== null);
  // Without a start, creation is the anchor, which is no occurrence itself.
  const firstAt = startAt === null ? createdAt + 1 : wholeSecond(startAt);
  const lastAt = Math.min(stored.end_at ?? Number.POSITIVE_INFINITY, endOf(readings, zone));
  return {
    nextAfter(ms) {
      const at = earliestFrom(readings, zone, Math.max(ms + 1, firstAt));
      return at !== null && at <= lastAt ? at : null;
    },
    get stepsTaken() {
      return readings.stepsTaken;
    },
  };
}

/**
 * Finds the earliest occurrence at or after `fromMs`. Readings and times have the same order, with one
 * exception: readings that a change of clocks skipped move forward, among the readings after the change.
 */
function earliestFrom(readings: WallClockRule, zone: string, fromMs: number): number | null {
  const wallMs = wallClockAt(fromMs, zone);
  // Clocks put forward within the last day: skipped readings may still lie ahead.
  const skippedMs = Math.max(0, wallMs - (wallClockAt(fromMs - DAY_MS, zone) + DAY_MS));
  let earliest: number | null = null;
  let reading = readings.next(wallMs - 1 - skippedMs);
  for (let steps = 0; reading !== null && steps < READINGS_PER_STEP_MAX; steps += 1) {
    const moment = momentOf(reading, zone);
    if (moment >= fromMs && (earliest === null || moment < earliest)) earliest = moment;
    // This reading was not skipped, so all following readings are later.
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
