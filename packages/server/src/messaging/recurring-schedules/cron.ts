import { type CalendarDay, DayPattern } from "./calendar.ts";
import { eachDay, minutesOfDay, nthReading } from "./day-search.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";
import { refuse } from "./wall-clock-rule.ts";

const HOW =
  "cron takes five fields: minute, hour, day of the month, month and day of the week, such as 30 9 * * 1-5.";
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** Parses a cron expression of five fields, without seconds: at most one message a minute. */
export function parseCron(text: string): WallClockRule {
  const [minute, hour, day, month, weekday, ...more] = text.trim().toUpperCase().split(/\s+/);
  if (weekday === undefined || more.length > 0) throw refuse("cron", HOW);
  const minutes = numbersOf({ name: "minute", from: 0, to: 59 }, minute ?? "");
  const hours = numbersOf({ name: "hour", from: 0, to: 23 }, hour ?? "");
  const months = numbersOf({ name: "month", from: 1, to: 12, words: MONTHS }, month ?? "");
  const isDay = dayFilterOf(day ?? "", weekday);
  const pattern = new DayPattern((one) => months.includes(one.month) && isDay(one));
  const times = minutesOfDay(hours, minutes);
  const steps = { taken: 0 };
  const days = { pattern, steps, meetsMonth: () => true, minutesOn: () => times };
  return {
    until: null,
    next: (wallMs) => nthReading((from, until) => eachDay(days, from, until), 0, wallMs + 1, 1),
    get stepsTaken() {
      return steps.taken + pattern.stepsTaken;
    },
  };
}

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Names of the numbers, beginning with `from`. */
  readonly words?: readonly string[];
}

/** Numbers of a list of items: `*`, a number, a range, and `*` or a range with a step. */
function numbersOf(field: Field, text: string): number[] {
  const numbers = new Set<number>();
  for (const item of text.split(",")) for (const number of itemOf(field, item)) numbers.add(number);
  return [...numbers].sort((a, b) => a - b);
}

function itemOf(field: Field, item: string): number[] {
  const { from, to } = field;
  const [range = "", step, ...more] = item.split("/");
  const [first = "", last, ...rest] = range.split("-");
  const isAll = range === "*" || range === "?";
  // A step needs a range: cron implementations disagree about 5/10.
  const isReadable =
    more.length === 0 && rest.length === 0 && (step === undefined || isAll || last);
  if (!isReadable) throw cannotRead(field);
  const start = isAll ? from : numberOf(field, first);
  const end = isAll ? to : last === undefined ? start : numberOf(field, last);
  const width =
    step === undefined ? 1 : numberOf({ ...field, from: 1, to: to - from + 1, words: [] }, step);
  if (start > end) throw cannotRead(field);
  return Array.from(
    { length: Math.floor((end - start) / width) + 1 },
    (_, at) => start + at * width,
  );
}

function numberOf(field: Field, text: string): number {
  const word = field.words?.indexOf(text) ?? -1;
  if (word >= 0) return field.from + word;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= field.from && number <= field.to)) throw cannotRead(field);
  return number;
}

function cannotRead({ name, from, to }: Field) {
  return refuse("cron", `cron cannot be read: its ${name} must be from ${from} to ${to}. ${HOW}`);
}

type DayFilter = (day: CalendarDay) => boolean;

/** If both fields restrict the day, either suffices, as in every cron; `+` before the weekday requires both. */
function dayFilterOf(dayText: string, weekdayText: string): DayFilter {
  const asksForBoth = weekdayText.startsWith("+");
  const ofMonth = monthDaysOf(dayText);
  const ofWeek = weekdaysOf(asksForBoth ? weekdayText.slice(1) : weekdayText);
  if (ofWeek === null) return ofMonth ?? (() => true);
  if (ofMonth === null) return ofWeek;
  const both = [ofMonth, ofWeek];
  return asksForBoth
    ? (day) => both.every((matches) => matches(day))
    : (day) => both.some((matches) => matches(day));
}

const MONTH_DAY: Field = { name: "day of the month", from: 1, to: 31 };

/** Accepts also `L`, the last day; `15W`, the working day nearest to the 15th; `LW`, the last working day. */
function monthDaysOf(text: string): DayFilter | null {
  if (text === "*" || text === "?") return null;
  const filters = text.split(",").map((item): DayFilter => {
    if (item === "L") return ({ day, daysInMonth }) => day === daysInMonth;
    if (item === "LW") return (one) => isNearestWorkday(one, one.daysInMonth);
    if (item.endsWith("W")) {
      const day = numberOf(MONTH_DAY, item.slice(0, -1));
      return (one) => day <= one.daysInMonth && isNearestWorkday(one, day);
    }
    const days = itemOf(MONTH_DAY, item);
    return ({ day }) => days.includes(day);
  });
  return (day) => filters.some((filter) => filter(day));
}

/** Saturdays move back and Sundays forward, but never into another month. */
function isNearestWorkday({ day, weekday, daysInMonth }: CalendarDay, target: number): boolean {
  const targetWeekday = (((weekday + target - day) % 7) + 7) % 7;
  if (targetWeekday === 6) return day === (target === 1 ? 3 : target - 1);
  if (targetWeekday === 0) return day === (target === daysInMonth ? target - 2 : target + 1);
  return day === target;
}

/** 7 is Sunday as well, so that FRI-SUN is a range. */
const WEEKDAY: Field = { name: "day of the week", from: 0, to: 7, words: WEEKDAYS };

/** Accepts also `5#2`, the second Friday of the month, and `5L`, the last Friday. */
function weekdaysOf(text: string): DayFilter | null {
  if (text === "*" || text === "?") return null;
  const filters = text.split(",").map((item): DayFilter => {
    const [range = "", nth, ...more] = item.split("#");
    const isLast = nth === undefined && range.endsWith("L");
    if (more.length > 0 || (nth !== undefined && !/^[1-5]$/.test(nth))) throw cannotRead(WEEKDAY);
    const days = itemOf(WEEKDAY, weekdayRange(isLast ? range.slice(0, -1) : range));
    const weekdays = new Set(days.map((day) => day % 7));
    return ({ day, weekday, daysInMonth }) =>
      weekdays.has(weekday) &&
      (nth === undefined || Math.ceil(day / 7) === Number(nth)) &&
      (!isLast || day + 7 > daysInMonth);
  });
  return (day) => filters.some((filter) => filter(day));
}

function weekdayRange(range: string): string {
  if (range.startsWith("*") || range.startsWith("?")) return range.replace(/^[*?]/, "0-6");
  return range.replace("-SUN", "-7");
}
