/** Calendar days in the reader's time zone, written as 2026-11-16 and 2026-11. */

const DAYS_PER_WEEK = 7;
const WEEKS_SHOWN = 6;

export function dayOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function monthOf(at: Date): string {
  return dayOf(at).slice(0, 7);
}

/** Adds `step` months. An unreadable month is returned unchanged. */
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
  /** The day belongs to the month itself, not to the weeks at its edges. */
  readonly isInside: boolean;
}

/** Six weeks from a Monday that contain the month. */
export function weeksOf(month: string): CalendarDay[][] {
  const { year, index } = partsOf(month);
  const before = (new Date(year, index, 1).getDay() + 6) % DAYS_PER_WEEK;
  const days = Array.from({ length: WEEKS_SHOWN * DAYS_PER_WEEK }, (_, at) => {
    // Noon: no clock change moves it to another day.
    const date = new Date(year, index, 1 - before + at, 12);
    return { day: dayOf(date), number: date.getDate(), isInside: date.getMonth() === index };
  });
  const weeks = Array.from({ length: WEEKS_SHOWN }, (_, at) =>
    days.slice(at * DAYS_PER_WEEK, (at + 1) * DAYS_PER_WEEK),
  );
  return weeks.filter((week) => week.some((day) => day.isInside));
}

/** Groups entries by day, each day in order of time. */
export function byDay<T extends { readonly at: string }>(entries: readonly T[]): Map<string, T[]> {
  const days = new Map<string, T[]>();
  for (const entry of entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    const day = dayOf(new Date(entry.at));
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return days;
}
