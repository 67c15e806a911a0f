/** Common cron expressions in words; the other ones are shown as written. */

const DAYS: readonly string[] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const DAY_WORDS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;
const WEEKDAYS = "1,2,3,4,5";
const WEEKEND = "0,6";
const list = new Intl.ListFormat("en", { type: "conjunction" });
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const SUFFIXES: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd", other: "th" };

/** "22nd". */
export function ordinal(value: number): string {
  return `${value}${SUFFIXES[ordinals.select(value)] ?? "th"}`;
}

/** "Every weekday at 09:30", or null when no phrase covers the expression. */
export function cronWords(cron: string): string | null {
  const fields = cron.trim().toUpperCase().split(/\s+/);
  const [minute = "", hour = "", monthDay = "", month = "", day = ""] = fields;
  if (fields.length !== 5 || month !== "*") return null;
  if (monthDay === "*" && day === "*") {
    const often = repeatWords(minute, hour);
    if (often !== null) return often;
  }
  const times = timeWords(minute, hour);
  const on = dayWords(monthDay, day);
  return times === null || on === null ? null : `${on} at ${times}`;
}

/** Several times an hour, or hourly. */
function repeatWords(minute: string, hour: string): string | null {
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step !== undefined && hour === "*") {
    return 60 % Number(step) === 0 ? `Every ${step} minutes` : null;
  }
  if (hour !== "*" || !/^\d{1,2}$/.test(minute)) return null;
  return `Every hour, ${minute} minutes past`;
}

function timeWords(minute: string, hour: string): string | null {
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}(?:,\d{1,2}){0,5}$/.test(hour)) return null;
  const at = (each: string) => `${each.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return list.format(hour.split(",").map(at));
}

function dayWords(monthDay: string, day: string): string | null {
  if (day === "*") {
    if (monthDay === "*") return "Every day";
    return /^\d{1,2}$/.test(monthDay) ? `On the ${ordinal(Number(monthDay))} of every month` : null;
  }
  if (monthDay !== "*") return null;
  const days = daysOf(day);
  if (days === null) return null;
  if (days.join() === WEEKDAYS) return "Every weekday";
  if (days.join() === WEEKEND) return "Every Saturday and Sunday";
  return `Every ${list.format(days.map((each) => DAY_WORDS[each] ?? ""))}`;
}

/** Weekdays of a field such as `1-5` or `MON,THU`, ascending; null for any other form. */
function daysOf(field: string): readonly number[] | null {
  const days = new Set<number>();
  for (const part of field.split(",")) {
    const ends = part.split("-").map(dayOf);
    const [from, to = from] = ends;
    if (ends.length > 2 || from === undefined || to === undefined) return null;
    if (from === null || to === null || to < from) return null;
    for (let day = from; day <= to; day += 1) days.add(day % 7);
  }
  return [...days].toSorted((a, b) => a - b);
}

/** 0 or 7 is Sunday. */
function dayOf(text: string): number | null {
  const named = DAYS.indexOf(text);
  if (named !== -1) return named;
  return /^[0-7]$/.test(text) ? Number(text) : null;
}
