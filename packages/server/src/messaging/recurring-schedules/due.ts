import { OCCURRENCE_LATE_SECONDS_MAX, Problem, SCHEDULE_FAILURES_MAX } from "@longwave/contract";
import type { Log } from "../platform/log.ts";
import { parseRule, type Rule } from "./rule.ts";
import type { ScheduleRow } from "./schedule-row.ts";

const LATE_MS_MAX = OCCURRENCE_LATE_SECONDS_MAX * 1_000;
/** Of a long downtime so many occurrences are told as missed, the earliest; the rest is passed over. */
const MISSED_TOLD_MAX = 100;
/** The occurrences of an hour, at one a minute, with those that a change of clocks adds. */
const RECENT_MAX = 130;

/** What a schedule has to do now. */
export interface Due {
  readonly schedule: ScheduleRow;
  /** The occurrence to send; null when there is none to send now. */
  readonly sendAt: number | null;
  readonly missed: readonly number[];
  /** The occurrence after that; null when there is none. */
  readonly nextAt: number | null;
  /** The latest that is sent or missed by this; null when none is. */
  readonly lastAt: number | null;
}

/**
 * Which occurrences of a schedule are due. One that is late by up to an hour is sent, late as it is.
 * After a longer downtime nothing is made up for: the latest of those within the hour is sent, and
 * all before it are missed.
 */
export function dueOf(log: Log, schedule: ScheduleRow, now: number): Due {
  const dueAt = schedule.next_at;
  const nothing = { schedule, sendAt: null, missed: [], nextAt: dueAt, lastAt: null };
  if (dueAt === null || schedule.failures >= SCHEDULE_FAILURES_MAX || dueAt > now) return nothing;
  const rule = storedRule(log, schedule);
  if (rule === null) return { ...nothing, nextAt: null };
  if (now - dueAt <= LATE_MS_MAX) {
    return { schedule, sendAt: dueAt, missed: [], nextAt: rule.nextAfter(dueAt), lastAt: dueAt };
  }
  const recentFrom = now - LATE_MS_MAX;
  const old = occurrencesFrom(rule, dueAt, recentFrom - 1, MISSED_TOLD_MAX);
  const firstRecent = rule.nextAfter(recentFrom - 1);
  const recent = occurrencesFrom(rule, firstRecent, now, RECENT_MAX);
  const sendAt = recent.pop() ?? null;
  const missed = [...old, ...recent];
  const lastAt = sendAt ?? missed.at(-1) ?? dueAt;
  return { schedule, sendAt, missed, nextAt: rule.nextAfter(now), lastAt };
}

/** The occurrences from one on, up to a moment, at most so many. */
export function occurrencesFrom(
  rule: Rule,
  firstAt: number | null,
  untilMs: number,
  max: number,
): number[] {
  const found: number[] = [];
  for (let at = firstAt; at !== null && at <= untilMs && found.length < max; ) {
    found.push(at);
    at = rule.nextAfter(at);
  }
  return found;
}

/** A rule that was readable once and is no more (a zone that is gone) ends its schedule alone. */
function storedRule(log: Log, schedule: ScheduleRow): Rule | null {
  try {
    return parseRule(schedule);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.error({ err: error, schedule: schedule.id }, "the rule of a schedule cannot be read");
    return null;
  }
}
