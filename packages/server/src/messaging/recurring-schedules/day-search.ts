import { DAY_MS, type DayPattern, MonthCursor, newYearOf } from "./calendar.ts";

/** Range of a search. The rarest useful rule, a weekday on 29 February, recurs within 40 years. */
export const SEARCH_YEARS_MAX = 100;
const SEARCH_DAYS_MAX = Math.ceil(SEARCH_YEARS_MAX * 365.25);
/** Distinct positions that BYSETPOS can list within the length limit of a rule. */
const POSITIONS_MAX = 250;

/**
 * Upper bound of the steps of one search, for any rule. It sums the days of a century, its weeks or months, a
 * DayPattern's predicate on every kind of year, the times of a day, and the positions of two periods. A step
 * takes some nanoseconds.
 */
export const SEARCH_STEPS_MAX =
  SEARCH_DAYS_MAX + 2 * 366 + SEARCH_YEARS_MAX * 53 + 28 * 366 + 1_440 + 2 * POSITIONS_MAX;

/** Ends at the year 9999: later timestamps are not portable. */
const LAST_DAY = newYearOf(10_000) - 1;
const MINUTE_MS = 60_000;

/** A day with its times in minutes of the day, ascending and never empty. */
export interface DayTimes {
  readonly day: number;
  readonly minutes: readonly number[];
}

export interface Steps {
  taken: number;
}

/** Days with times from `fromDay` to `untilDay`, ascending. */
export type DaySource = (fromDay: number, untilDay: number) => Iterable<DayTimes>;

/** Finds the n-th wall-clock reading at or after `fromWallMs`, within SEARCH_YEARS_MAX. */
export function nthReading(
  source: DaySource,
  second: number,
  fromWallMs: number,
  n: number,
): number | null {
  const fromDay = Math.floor(fromWallMs / DAY_MS);
  const untilDay = Math.min(fromDay + SEARCH_DAYS_MAX, LAST_DAY);
  let left = n;
  for (const { day, minutes } of source(fromDay, untilDay)) {
    const dayMs = day * DAY_MS + second * 1_000;
    const first =
      day > fromDay ? 0 : minutes.findIndex((minute) => dayMs + minute * MINUTE_MS >= fromWallMs);
    if (day < fromDay || first < 0) continue;
    const found = minutes[first + left - 1];
    if (found !== undefined) return dayMs + found * MINUTE_MS;
    left -= minutes.length - first;
  }
  return null;
}

/** Minutes of the day for every combination of hour and minute, ascending. */
export function minutesOfDay(hours: readonly number[], minutes: readonly number[]): number[] {
  const found: number[] = [];
  for (const hour of hours) for (const minute of minutes) found.push(hour * 60 + minute);
  return found;
}

/** Days of a pattern, in the periods and at the times of a rule. */
export interface EachDay {
  readonly pattern: DayPattern;
  /** Whether the rule's INTERVAL meets this month. */
  readonly meetsMonth: (cursor: MonthCursor) => boolean;
  /** Times of a day; empty on a day that the rule's INTERVAL leaves out. */
  readonly minutesOn: (day: number) => readonly number[];
  readonly steps: Steps;
}

export function* eachDay(
  { pattern, meetsMonth, minutesOn, steps }: EachDay,
  fromDay: number,
  untilDay: number,
): Generator<DayTimes> {
  for (const cursor = new MonthCursor(fromDay); cursor.firstDay <= untilDay; cursor.advance()) {
    steps.taken += 1;
    let days = meetsMonth(cursor) ? pattern.daysOf(cursor.year, cursor.month) : 0;
    if (fromDay > cursor.firstDay) days &= -1 << (fromDay - cursor.firstDay);
    for (; days !== 0; days &= days - 1) {
      const day = cursor.firstDay + lowestBit(days);
      if (day > untilDay) return;
      steps.taken += 1;
      const minutes = minutesOn(day);
      if (minutes.length > 0) yield { day, minutes };
    }
  }
}

/** BYSETPOS: the n-th reading of each period, for each position n. Every day of a period has the same times. */
export interface ByPosition {
  readonly pattern: DayPattern;
  readonly minutes: readonly number[];
  readonly period: Period;
  /** Counted from 1, or from -1 backwards; sorted by absolute value. */
  readonly positions: readonly number[];
  readonly steps: Steps;
}

/** Consecutive ranges of days, such as weeks or months, in which BYSETPOS counts. */
export interface Period {
  /** First day of the period that contains `day`. */
  startOf(day: number): number;
  /** First day of the next period that INTERVAL meets. */
  after(startDay: number): number;
  lengthOf(startDay: number): number;
  /** Whether INTERVAL meets the period. */
  isMet(startDay: number): boolean;
}

export function* byPosition(
  rule: ByPosition,
  fromDay: number,
  untilDay: number,
): Generator<DayTimes> {
  const { period, steps } = rule;
  let start = period.startOf(fromDay);
  if (!period.isMet(start)) start = period.after(start);
  for (; start <= untilDay; start = period.after(start)) {
    steps.taken += 1;
    const days = daysWithin(rule, start, period.lengthOf(start));
    yield* chosen(rule, days);
  }
}

function daysWithin({ pattern, steps }: ByPosition, startDay: number, length: number): number[] {
  const found: number[] = [];
  const endDay = startDay + length;
  for (const cursor = new MonthCursor(startDay); cursor.firstDay < endDay; cursor.advance()) {
    let days = pattern.daysOf(cursor.year, cursor.month);
    if (startDay > cursor.firstDay) days &= -1 << (startDay - cursor.firstDay);
    if (endDay < cursor.firstDay + cursor.length) days &= (1 << (endDay - cursor.firstDay)) - 1;
    for (; days !== 0; days &= days - 1) {
      steps.taken += 1;
      found.push(cursor.firstDay + lowestBit(days));
    }
  }
  return found;
}

function chosen({ minutes, positions, steps }: ByPosition, days: readonly number[]): DayTimes[] {
  const size = days.length * minutes.length;
  const indexes = new Set<number>();
  for (const position of positions) {
    if (Math.abs(position) > size) break;
    steps.taken += 1;
    indexes.add(position > 0 ? position - 1 : size + position);
  }
  const found: { day: number; minutes: number[] }[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const day = days[Math.floor(index / minutes.length)] as number;
    const minute = minutes[index % minutes.length] as number;
    const last = found.at(-1);
    if (last?.day === day) last.minutes.push(minute);
    else found.push({ day, minutes: [minute] });
  }
  return found;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
