import { OCCURRENCE_LATE_SECONDS_MAX, Problem, SCHEDULE_FAILURES_MAX } from "@longwave/contract";
import type { Log } from "../../core/platform/log.ts";
import { parseRule, type Rule } from "./next-occurrence.ts";
import type { ScheduleRow } from "./schedule-row.ts";

const LATE_MS_MAX = OCCURRENCE_LATE_SECONDS_MAX * 1_000;
/** Occurrences reported as missed after a long downtime: the earliest ones; later ones are dropped. */
const MISSED_REPORTED_MAX = 100;
/** Bounds the occurrences of an hour: one a minute, and those that a change of clocks adds. */
const RECENT_MAX = 130;

/** Work of a due schedule. */
export interface Due {
  readonly schedule: ScheduleRow;
  /** Occurrence to send; null when there is none now. */
  readonly sendAt: number | null;
  readonly missed: readonly number[];
  /** Next occurrence; null at the end of the rule. */
  readonly nextAt: number | null;
  /** Latest occurrence sent or missed now; null when none is. */
  readonly lastAt: number | null;
  /** Steps of the search for occurrences. */
  readonly steps: number;
}

/**
 * Finds the due occurrences of a schedule. An occurrence up to an hour late is sent. After a longer downtime,
 * only the latest occurrence of the last hour is sent, and all before it are missed.
 */
export function dueOf(log: Log, schedule: ScheduleRow, now: number): Due {
  const dueAt = schedule.next_at;
  const nothing = { schedule, sendAt: null, missed: [], nextAt: dueAt, lastAt: null, steps: 0 };
  if (dueAt === null || schedule.failures >= SCHEDULE_FAILURES_MAX || dueAt > now) return nothing;
  const rule = storedRule(log, schedule);
  if (rule === null) return { ...nothing, nextAt: null };
  if (now - dueAt <= LATE_MS_MAX) {
    const nextAt = rule.nextAfter(dueAt);
    const steps = rule.stepsTaken;
    return { schedule, sendAt: dueAt, missed: [], nextAt, lastAt: dueAt, steps };
  }
  const recentFrom = now - LATE_MS_MAX;
  const old = occurrencesFrom(rule, dueAt, recentFrom - 1, MISSED_REPORTED_MAX);
  const firstRecent = rule.nextAfter(recentFrom - 1);
  const recent = occurrencesFrom(rule, firstRecent, now, RECENT_MAX);
  const sendAt = recent.pop() ?? null;
  const missed = [...old, ...recent];
  const lastAt = sendAt ?? missed.at(-1) ?? dueAt;
  const nextAt = rule.nextAfter(now);
  return { schedule, sendAt, missed, nextAt, lastAt, steps: rule.stepsTaken };
}

/** Occurrences from `firstAt` to `untilMs`, at most `max`. */
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

/**
 * Parses the rule of a stored schedule. Returns null for a rule that is no longer valid, such as a removed time
 * zone: its schedule ends, and the rest of the chunk continues.
 */
export function storedRule(log: Log, schedule: ScheduleRow): Rule | null {
  try {
    return parseRule(schedule);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const facts = { schedule: schedule.id, param: error.details.param, reason: error.message };
    log.error(facts, "schedules: rule no longer accepted, schedule ends");
    return null;
  }
}
