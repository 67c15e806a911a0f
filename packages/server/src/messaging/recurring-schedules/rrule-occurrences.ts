import {
  type CalendarDay,
  DAY_MS,
  DayPattern,
  daysInMonth,
  MonthCursor,
  newYearOf,
  positiveModulo,
} from "./calendar.ts";
import {
  byPosition,
  type DaySource,
  eachDay,
  minutesOfDay,
  nthReading,
  SEARCH_YEARS_MAX,
} from "./day-search.ts";
import { type Frequency, largestSet, type Recurrence } from "./recurrence-parts.ts";

export interface CompiledRecurrence {
  next(wallMs: number): number | null;
  readonly stepsTaken: number;
}

const CENTURY_MS = SEARCH_YEARS_MAX * 365.25 * DAY_MS;

/** Compiles a rule that counts from its anchor. COUNT ends after SEARCH_YEARS_MAX at the latest. */
export function compileRecurrence(
  rule: Recurrence,
  anchorWallMs: number,
  counted: { readonly count: number; readonly anchorCounts: boolean } | null,
): CompiledRecurrence {
  const anchor = new Date(anchorWallMs);
  const pattern = new DayPattern(dayFilterOf(rule, anchor));
  const steps = { taken: 0 };
  const source = sourceOf(rule, anchor, pattern, steps);
  const second = rule.lists.BYSECOND?.[0] ?? anchor.getUTCSeconds();
  const find = (fromWallMs: number, n: number) => nthReading(source, second, fromWallMs, n);
  let lastWallMs = Number.POSITIVE_INFINITY;
  if (counted !== null) {
    const isOnAnchor = !counted.anchorCounts && find(anchorWallMs, 1) === anchorWallMs;
    const count = counted.count + (isOnAnchor ? 1 : 0);
    lastWallMs = find(anchorWallMs, count) ?? anchorWallMs + CENTURY_MS;
  }
  return {
    next(wallMs) {
      const found = find(Math.max(wallMs + 1, anchorWallMs), 1);
      return found !== null && found <= lastWallMs ? found : null;
    },
    get stepsTaken() {
      return steps.taken + pattern.stepsTaken;
    },
  };
}

/** Filter for the days of the BY parts; RFC 5545 takes missing parts from the anchor. */
function dayFilterOf(
  { frequency, weekStart, byDay, lists }: Recurrence,
  anchor: Date,
): (day: CalendarDay) => boolean {
  const { BYWEEKNO: weekNumbers, BYYEARDAY: yearDays } = lists;
  let { BYMONTH: months, BYMONTHDAY: monthDays } = lists;
  let weekdays = byDay;
  const isDayGiven = weekdays !== null || monthDays !== null || yearDays !== null;
  if (!isDayGiven && (frequency === "WEEKLY" || weekNumbers !== null)) {
    weekdays = [{ n: 0, weekday: anchor.getUTCDay() }];
  } else if (!isDayGiven && (frequency === "MONTHLY" || frequency === "YEARLY")) {
    if (frequency === "YEARLY") months ??= [anchor.getUTCMonth() + 1];
    monthDays = [anchor.getUTCDate()];
  }
  const isNthOfYear = frequency === "YEARLY" && lists.BYMONTH === null;
  return (day) =>
    (months === null || months.includes(day.month)) &&
    (monthDays === null || isListed(monthDays, day.day, day.daysInMonth)) &&
    (yearDays === null || isListed(yearDays, day.yearDay, day.daysInYear)) &&
    (weekNumbers === null || isInWeek(weekNumbers, day, weekStart)) &&
    (weekdays === null || weekdays.some((one) => isWeekday(one, day, isNthOfYear)));
}

/** Whether a list contains position `n` of `total`, counted from the start or, negative, from the end. */
function isListed(list: readonly number[], n: number, total: number): boolean {
  return list.includes(n) || list.includes(n - total - 1);
}

function isWeekday(
  { n, weekday }: { readonly n: number; readonly weekday: number },
  day: CalendarDay,
  isOfYear: boolean,
): boolean {
  if (day.weekday !== weekday) return false;
  if (n === 0) return true;
  const [position, length] = isOfYear ? [day.yearDay, day.daysInYear] : [day.day, day.daysInMonth];
  return n > 0 ? Math.ceil(position / 7) === n : Math.ceil((length - position + 1) / 7) === -n;
}

/** Week 1 is the first with at least four days in its year; early January may belong to the year before. */
function isInWeek(list: readonly number[], day: CalendarDay, weekStart: number): boolean {
  const newYearWeekday = positiveModulo(day.weekday - (day.yearDay - 1), 7);
  const first = firstWeekOf(newYearWeekday, weekStart);
  const weeks = weeksOf(newYearWeekday, day.daysInYear, weekStart);
  const week = Math.floor((day.yearDay - first) / 7) + 1;
  if (week > weeks) return list.includes(1);
  if (week >= 1) return isListed(list, week, weeks);
  const { daysInYearBefore } = day;
  const weeksBefore = weeksOf(
    positiveModulo(newYearWeekday - daysInYearBefore, 7),
    daysInYearBefore,
    weekStart,
  );
  return isListed(list, weeksBefore, weeksBefore);
}

/** Day of the year on which week 1 begins; 0 or less in the year before. */
function firstWeekOf(newYearWeekday: number, weekStart: number): number {
  const daysIntoWeek = positiveModulo(newYearWeekday - weekStart, 7);
  return daysIntoWeek <= 3 ? 1 - daysIntoWeek : 8 - daysIntoWeek;
}

function weeksOf(newYearWeekday: number, daysInYear: number, weekStart: number): number {
  const first = firstWeekOf(newYearWeekday, weekStart);
  const firstOfNext = firstWeekOf(positiveModulo(newYearWeekday + daysInYear, 7), weekStart);
  return (daysInYear + firstOfNext - first) / 7;
}

type Anchored = { readonly interval: number; readonly anchorDay: number; readonly anchor: Date };

function sourceOf(
  rule: Recurrence,
  anchor: Date,
  pattern: DayPattern,
  steps: { taken: number },
): DaySource {
  const { frequency, interval, weekStart, lists } = rule;
  const anchorDay = Math.floor(anchor.getTime() / DAY_MS);
  const anchored = { interval, anchorDay, anchor };
  const { size } = largestSet(rule);
  const positions = lists.BYSETPOS?.filter((position) => Math.abs(position) <= size) ?? null;
  if (positions?.length === 0) return () => [];
  if (positions !== null && isLong(frequency)) {
    const period = periodOf(frequency, weekStart, anchored);
    const minutes = timesOf(rule, anchor);
    positions.sort((a, b) => Math.abs(a) - Math.abs(b));
    return (fromDay, untilDay) =>
      byPosition({ pattern, period, minutes, positions, steps }, fromDay, untilDay);
  }
  const days = {
    pattern,
    steps,
    meetsMonth: monthFilterOf(frequency, anchored),
    minutesOn: minutesOf(rule, anchored),
  };
  return (fromDay, untilDay) => eachDay(days, fromDay, untilDay);
}

type LongFrequency = "YEARLY" | "MONTHLY" | "WEEKLY";

function isLong(frequency: Frequency): frequency is LongFrequency {
  return frequency === "YEARLY" || frequency === "MONTHLY" || frequency === "WEEKLY";
}

function monthFilterOf(
  frequency: Frequency,
  { interval, anchor }: Anchored,
): (cursor: MonthCursor) => boolean {
  const year = anchor.getUTCFullYear();
  const index = year * 12 + anchor.getUTCMonth();
  if (frequency === "YEARLY") return (cursor) => (cursor.year - year) % interval === 0;
  if (frequency === "MONTHLY") return (cursor) => (cursor.index - index) % interval === 0;
  return () => true;
}

/** Times of a day that INTERVAL leaves, in minutes. */
function minutesOf(rule: Recurrence, anchored: Anchored): (day: number) => readonly number[] {
  const { frequency, interval, weekStart } = rule;
  const { anchor, anchorDay } = anchored;
  if (frequency === "HOURLY" || frequency === "MINUTELY") return minutesOfHours(rule, anchored);
  const all = timesOf(rule, anchor);
  const minutes = frequency === "DAILY" ? atPositions(all, rule.lists.BYSETPOS) : all;
  if (frequency === "DAILY") return (day) => ((day - anchorDay) % interval === 0 ? minutes : []);
  if (frequency !== "WEEKLY") return () => minutes;
  const anchorWeek = weekOf(anchorDay, weekStart);
  return (day) => ((weekOf(day, weekStart) - anchorWeek) % interval === 0 ? minutes : []);
}

/** Weeks since the first one that begins on this weekday (1970-01-01 was a Thursday). */
function weekOf(day: number, weekStart: number): number {
  return Math.floor((day + 4 - weekStart) / 7);
}

function timesOf({ lists }: Recurrence, anchor: Date): number[] {
  const hours = lists.BYHOUR ?? [anchor.getUTCHours()];
  const minutes = lists.BYMINUTE ?? [anchor.getUTCMinutes()];
  return minutesOfDay(hours, minutes);
}

function atPositions(
  times: readonly number[],
  positions: readonly number[] | null,
): readonly number[] {
  if (positions === null) return times;
  return times.filter((_, index) => isListed(positions, index + 1, times.length));
}

/**
 * Hours or minutes that are a multiple of INTERVAL away from the anchor. They depend on the day modulo INTERVAL
 * only, so there are at most INTERVAL different lists, each built once.
 */
function minutesOfHours(
  { frequency, lists }: Recurrence,
  { interval, anchor, anchorDay }: Anchored,
): (day: number) => readonly number[] {
  const isHourly = frequency === "HOURLY";
  const unitsPerDay = isHourly ? 24 : 1_440;
  const hour = anchor.getUTCHours();
  const anchorUnit =
    anchorDay * unitsPerDay + (isHourly ? hour : hour * 60 + anchor.getUTCMinutes());
  const ofHour = isHourly
    ? atPositions(lists.BYMINUTE ?? [anchor.getUTCMinutes()], lists.BYSETPOS)
    : atPositions([0], lists.BYSETPOS);
  const isAllowed = (minute: number) =>
    (lists.BYHOUR === null || lists.BYHOUR.includes(Math.floor(minute / 60))) &&
    (isHourly || lists.BYMINUTE === null || lists.BYMINUTE.includes(minute % 60));
  const minutesPerUnit = isHourly ? 60 : 1;
  const byFirst = new Map<number, number[]>();
  return (day) => {
    const first = positiveModulo(anchorUnit - day * unitsPerDay, interval);
    const cached = byFirst.get(first);
    if (cached !== undefined) return cached;
    const found: number[] = [];
    for (let unit = first; unit < unitsPerDay; unit += interval) {
      const start = unit * minutesPerUnit;
      if (isAllowed(start)) for (const minute of ofHour) found.push(start + minute);
    }
    byFirst.set(first, found);
    return found;
  };
}

function periodOf(
  frequency: LongFrequency,
  weekStart: number,
  { interval, anchorDay, anchor }: Anchored,
) {
  if (frequency === "WEEKLY") {
    const startOf = (day: number) => day - positiveModulo(day + 4 - weekStart, 7);
    const weeksTo = (start: number) => (start - startOf(anchorDay)) / 7;
    return {
      startOf,
      lengthOf: () => 7,
      isMet: (start: number) => weeksTo(start) % interval === 0,
      after: (start: number) => start + 7 * (interval - positiveModulo(weeksTo(start), interval)),
    };
  }
  const months = frequency === "YEARLY" ? 12 : 1;
  const indexOf = (day: number) => Math.floor(new MonthCursor(day).index / months);
  const dayOf = (index: number) => {
    const month = index * months;
    return firstOfMonth(Math.floor(month / 12), positiveModulo(month, 12) + 1);
  };
  const anchorIndex = Math.floor((anchor.getUTCFullYear() * 12 + anchor.getUTCMonth()) / months);
  return {
    startOf: (day: number) => dayOf(indexOf(day)),
    lengthOf: (start: number) => dayOf(indexOf(start) + 1) - start,
    isMet: (start: number) => (indexOf(start) - anchorIndex) % interval === 0,
    after: (start: number) => {
      const index = indexOf(start);
      return dayOf(index + interval - positiveModulo(index - anchorIndex, interval));
    },
  };
}

function firstOfMonth(year: number, month: number): number {
  let day = newYearOf(year);
  for (let before = 1; before < month; before += 1) day += daysInMonth(year, before);
  return day;
}
