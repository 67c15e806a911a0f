/** Days of a calendar in the reader's own zone. A day is named as 2026-11-16, a month as 2026-11. */

const DAYS_PER_WEEK = 7;
const WEEKS_SHOWN = 6;

export function dayOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function monthOf(at: Date): string {
  return dayOf(at).slice(0, 7);
}

/** The month so many months away, or the one given where it cannot be read. */
export function monthAfter(month: string, step: number): string {
  const { year, index } = partsOf(month);
  return monthOf(new Date(year, index + step, 1));
}

export function isMonth(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

function partsOf(month: string): { year: number; index: number } {
  return { year: Number(month.slice(0, 4)), index: Number(month.slice(5)) - 1 };
}

export interface CalendarDay {
  readonly day: string;
  readonly number: number;
  /** Of the month shown, not of the weeks at its edges. */
  readonly isInside: boolean;
}

/** Six weeks that hold the month, from a Monday on. */
export function weeksOf(month: string): CalendarDay[][] {
  const { year, index } = partsOf(month);
  const before = (new Date(year, index, 1).getDay() + 6) % DAYS_PER_WEEK;
  const days = Array.from({ length: WEEKS_SHOWN * DAYS_PER_WEEK }, (_, at) => {
    // Noon: no change of clocks moves it to another day.
    const date = new Date(year, index, 1 - before + at, 12);
    return { day: dayOf(date), number: date.getDate(), isInside: date.getMonth() === index };
  });
  const weeks = Array.from({ length: WEEKS_SHOWN }, (_, at) =>
    days.slice(at * DAYS_PER_WEEK, (at + 1) * DAYS_PER_WEEK),
  );
  return weeks.filter((week) => week.some((day) => day.isInside));
}

/** Things by the day they are on, each day's in order. */
export function byDay<T extends { readonly at: string }>(things: readonly T[]): Map<string, T[]> {
  const days = new Map<string, T[]>();
  for (const thing of things.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    const day = dayOf(new Date(thing.at));
    days.set(day, [...(days.get(day) ?? []), thing]);
  }
  return days;
}
