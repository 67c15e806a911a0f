import { refuse } from "./wall-clock-rule.ts";

const HOW = "rrule takes a rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO,TH.";
const FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];
/** Weekdays as RFC 5545 writes them, in the order of CalendarDay.weekday. */
const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
/** Ranges of each list: whole numbers, some also counted from the end. */
// biome-ignore format: read as a table
const LISTS = {
  BYMONTH:    { from: 1, to: 12, fromEnd: false },
  BYWEEKNO:   { from: 1, to: 53, fromEnd: true },
  BYYEARDAY:  { from: 1, to: 366, fromEnd: true },
  BYMONTHDAY: { from: 1, to: 31, fromEnd: true },
  BYHOUR:     { from: 0, to: 23, fromEnd: false },
  BYMINUTE:   { from: 0, to: 59, fromEnd: false },
  BYSECOND:   { from: 0, to: 59, fromEnd: false },
  BYSETPOS:   { from: 1, to: 366, fromEnd: true },
} as const;
type ListName = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as ListName[];
const PARTS = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", ...LIST_NAMES];
const DAY = /^([+-]?(?:[1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/;
const INTERVAL_MAX = 1_000;

/** Weekday of BYDAY: the n-th of its month or year; `n` = 0 means every one. */
export interface ByDay {
  readonly n: number;
  readonly weekday: number;
}

/** Parts of an RFC 5545 rule. An absent list is null; lists are ascending without duplicates. */
export interface Recurrence {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly weekStart: number;
  readonly byDay: readonly ByDay[] | null;
  readonly lists: Readonly<Record<ListName, readonly number[] | null>>;
}

/** Parts of a rule by name, each once. */
export function partsOf(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text
    .replace(/^RRULE:/i, "")
    .replace(/;$/, "")
    .split(";")) {
    const [name = "", value, ...more] = part.toUpperCase().split("=");
    if (value === undefined || value === "" || more.length > 0) throw refuse("rrule", HOW);
    if (!PARTS.includes(name)) {
      throw refuse(
        "rrule",
        `rrule has ${name.slice(0, 20)}, which is not a part of a rule. ${HOW}`,
      );
    }
    if (parts.has(name)) throw refuse("rrule", `rrule has ${name} twice.`);
    parts.set(name, value);
  }
  return parts;
}

/** Parses every part except COUNT and UNTIL. */
export function recurrenceOf(parts: ReadonlyMap<string, string>): Recurrence {
  const frequency = FREQUENCIES.find((one) => one === parts.get("FREQ"));
  if (frequency === undefined) {
    throw refuse("rrule", `rrule must have FREQ, one of ${FREQUENCIES.join(", ")}.`);
  }
  const interval = parts.get("INTERVAL") ?? "1";
  if (!isWithin(interval, INTERVAL_MAX)) {
    throw refuse("rrule", `INTERVAL in rrule must be a whole number from 1 to ${INTERVAL_MAX}.`);
  }
  if (parts.get("BYSECOND")?.includes(",")) {
    throw refuse("rrule", "rrule may name one second at most: at most one text a minute.");
  }
  const weekStart = WEEKDAYS.indexOf(parts.get("WKST") ?? "MO");
  if (weekStart < 0) throw refuse("rrule", `WKST in rrule must be a weekday, such as MO. ${HOW}`);
  const lists = LIST_NAMES.map((name) => [name, listOf(name, parts.get(name))] as const);
  const recurrence: Recurrence = {
    frequency,
    interval: Number(interval),
    weekStart,
    byDay: byDayOf(parts.get("BYDAY")),
    lists: Object.fromEntries(lists) as Recurrence["lists"],
  };
  checkCombination(recurrence);
  return recurrence;
}

function listOf(name: ListName, text: string | undefined): number[] | null {
  if (text === undefined) return null;
  const numbers = new Set(text.split(",").map((item) => numberIn(name, item)));
  return [...numbers].sort((a, b) => a - b);
}

function numberIn(name: ListName, item: string): number {
  const { from, to, fromEnd } = LISTS[name];
  const [, sign, digits] = /^([+-]?)(\d{1,3})$/.exec(item) ?? [];
  const number = Number(digits ?? Number.NaN);
  if (!(number >= from && number <= to && (sign === "" || fromEnd))) {
    const ends = fromEnd ? `, or from -1 to -${to} counted from the end` : "";
    throw refuse("rrule", `${name} in rrule takes numbers from ${from} to ${to}${ends}. ${HOW}`);
  }
  return sign === "-" ? -number : number;
}

function byDayOf(text: string | undefined): ByDay[] | null {
  if (text === undefined) return null;
  const days = new Map<string, ByDay>();
  for (const item of text.split(",")) {
    const match = DAY.exec(item);
    if (match === null) throw refuse("rrule", `BYDAY in rrule cannot be read. ${HOW}`);
    const day = { n: Number(match[1] ?? 0), weekday: WEEKDAYS.indexOf(match[2] ?? "") };
    days.set(`${day.n} ${day.weekday}`, day);
  }
  return [...days.values()];
}

/** Refuses combinations that RFC 5545, 3.3.10, rules out. */
function checkCombination({ frequency, byDay, lists }: Recurrence): void {
  const isOf = (...frequencies: Frequency[]) => frequencies.includes(frequency);
  const hasNth = byDay?.some(({ n }) => n !== 0) ?? false;
  const others = LIST_NAMES.filter((name) => name !== "BYSETPOS" && lists[name] !== null);
  // biome-ignore format: read as a table
  const refused: readonly (readonly [boolean, string])[] = [
    [lists.BYWEEKNO !== null && !isOf("YEARLY"), "BYWEEKNO in rrule needs FREQ=YEARLY."],
    [lists.BYYEARDAY !== null && isOf("DAILY", "WEEKLY", "MONTHLY"), `BYYEARDAY in rrule does not go with FREQ=${frequency}. Use FREQ=YEARLY.`],
    [lists.BYMONTHDAY !== null && isOf("WEEKLY"), "BYMONTHDAY in rrule does not go with FREQ=WEEKLY. Use FREQ=MONTHLY."],
    [hasNth && !isOf("MONTHLY", "YEARLY"), "BYDAY with a number, such as 1MO, needs FREQ=MONTHLY or FREQ=YEARLY."],
    [hasNth && lists.BYWEEKNO !== null, "BYDAY with a number, such as 1MO, does not go with BYWEEKNO."],
    [lists.BYSETPOS !== null && byDay === null && others.length === 0, "BYSETPOS in rrule needs another BY part to choose from, such as BYDAY."],
  ];
  const [, why] = refused.find(([applies]) => applies) ?? [];
  if (why !== undefined) throw refuse("rrule", why);
}

export function isWithin(text: string, max: number): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max;
}

const PERIODS: Readonly<Record<Frequency, string>> = {
  YEARLY: "year",
  MONTHLY: "month",
  WEEKLY: "week",
  DAILY: "day",
  HOURLY: "hour",
  MINUTELY: "minute",
};

/** Upper bound of the occurrences in one period before BYSETPOS. */
export function largestSet({ frequency, byDay, lists }: Recurrence): {
  size: number;
  period: string;
} {
  const minutes = lists.BYMINUTE?.length ?? 1;
  const times = (lists.BYHOUR?.length ?? 1) * minutes;
  const period = PERIODS[frequency];
  switch (frequency) {
    case "MINUTELY":
      return { size: 1, period };
    case "HOURLY":
      return { size: minutes, period };
    case "DAILY":
      return { size: times, period };
    case "WEEKLY":
      return { size: (byDay?.length ?? 1) * times, period };
    case "MONTHLY":
      if (byDay === null && lists.BYMONTHDAY === null) return { size: times, period };
      return { size: Math.min(daysOf(byDay, 5), lists.BYMONTHDAY?.length ?? 31) * times, period };
    case "YEARLY":
      return { size: 366 * times, period };
  }
}

function daysOf(byDay: Recurrence["byDay"], perWeekday: number): number {
  if (byDay === null) return 31;
  return byDay.reduce((days, { n }) => days + (n === 0 ? perWeekday : 1), 0);
}
