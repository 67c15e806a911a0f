/** The proleptic Gregorian calendar in whole days since 1970-01-01, and patterns of days that it repeats. */

export const DAY_MS = 86_400_000;

/** Sunday is 0. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Properties of a day that a pattern can test; independent of the year number. */
export interface CalendarDay {
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  readonly daysInMonth: number;
  readonly weekday: Weekday;
  /** 1 to 366. */
  readonly yearDay: number;
  readonly daysInYear: number;
  /** Length of the year before, which week numbers depend on. */
  readonly daysInYearBefore: number;
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Weekday of 1970-01-01. */
const EPOCH_WEEKDAY = 4;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] as number);
}

function weekdayOf(day: number): Weekday {
  return positiveModulo(day + EPOCH_WEEKDAY, 7) as Weekday;
}

/** Day number of 1 January. */
export function newYearOf(year: number): number {
  const leapDays =
    Math.floor((year - 1969) / 4) -
    Math.floor((year - 1901) / 100) +
    Math.floor((year - 1601) / 400);
  return 365 * (year - 1970) + leapDays;
}

export function positiveModulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** Iterates over months; `firstDay` is the day number of the first of the month. */
export class MonthCursor {
  year: number;
  month: number;
  firstDay: number;
  length: number;

  /** Starts at the month that contains `day`. */
  constructor(day: number) {
    const date = new Date(day * DAY_MS);
    this.year = date.getUTCFullYear();
    this.month = date.getUTCMonth() + 1;
    this.firstDay = day - (date.getUTCDate() - 1);
    this.length = daysInMonth(this.year, this.month);
  }

  advance(): void {
    this.firstDay += this.length;
    this.month += 1;
    if (this.month > 12) {
      this.month = 1;
      this.year += 1;
    }
    this.length = daysInMonth(this.year, this.month);
  }

  /** Months since the year 0. */
  get index(): number {
    return this.year * 12 + this.month - 1;
  }
}

/** Weekday of 1 January × leap year or not × leap year before or not. */
const KINDS_OF_YEARS = 7 * 2 * 2;
const UNKNOWN = -1;

/**
 * Days that a predicate selects, one bit mask a month (bit 0 is the first). There are only 28 kinds of years, so
 * the predicate runs at most 28 × 366 times, however many years a search covers.
 */
export class DayPattern {
  readonly #matches: (day: CalendarDay) => boolean;
  readonly #months = new Int32Array(KINDS_OF_YEARS * 12).fill(UNKNOWN);
  /** Calls of the predicate. */
  stepsTaken = 0;

  constructor(matches: (day: CalendarDay) => boolean) {
    this.#matches = matches;
  }

  daysOf(year: number, month: number): number {
    const kind =
      weekdayOf(newYearOf(year)) * 4 + Number(isLeapYear(year)) * 2 + Number(isLeapYear(year - 1));
    const index = kind * 12 + month - 1;
    const cached = this.#months[index] as number;
    if (cached !== UNKNOWN) return cached;
    const found = this.#find(year, month);
    this.#months[index] = found;
    return found;
  }

  #find(year: number, month: number): number {
    const length = daysInMonth(year, month);
    const newYear = newYearOf(year);
    let yearDay = 0;
    for (let before = 1; before < month; before += 1) yearDay += daysInMonth(year, before);
    let days = 0;
    for (let day = 1; day <= length; day += 1) {
      this.stepsTaken += 1;
      const isMatch = this.#matches({
        month,
        day,
        daysInMonth: length,
        weekday: weekdayOf(newYear + yearDay + day - 1),
        yearDay: yearDay + day,
        daysInYear: isLeapYear(year) ? 366 : 365,
        daysInYearBefore: isLeapYear(year - 1) ? 366 : 365,
      });
      if (isMatch) days |= 1 << (day - 1);
    }
    return days;
  }
}
