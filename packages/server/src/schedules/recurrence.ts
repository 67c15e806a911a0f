import { RULE_OCCURRENCES_MAX } from "@longwave/contract";
import { RRuleTemporal } from "rrule-temporal";
import { refuse } from "./refuse.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";

const HOW = "rrule takes a rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO,TH.";
const FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"];
/** What may stand in each list: whole numbers, some also counted from the end. */
// biome-ignore format: read as a table
const LISTS: Readonly<Record<string, { from: number; to: number; fromEnd?: true }>> = {
  BYMONTH:    { from: 1, to: 12 },
  BYWEEKNO:   { from: 1, to: 53, fromEnd: true },
  BYYEARDAY:  { from: 1, to: 366, fromEnd: true },
  BYMONTHDAY: { from: 1, to: 31, fromEnd: true },
  BYHOUR:     { from: 0, to: 23 },
  BYMINUTE:   { from: 0, to: 59 },
  BYSECOND:   { from: 0, to: 59 },
  BYSETPOS:   { from: 1, to: 366, fromEnd: true },
};
const PARTS = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", ...Object.keys(LISTS)];
const DAYS = /^([+-]?([1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/;
const INTERVAL_MAX = 1_000;
/** What a rule may search through for one occurrence, so that none holds up the others. */
const SEARCH_STEPS_MAX = 5_000;

/**
 * Reads a recurrence rule that is counted from a reading of the clock. Where that reading is no
 * occurrence (`anchorCounts`), COUNT does not count it either.
 */
export function parseRecurrence(
  text: string,
  anchorWallMs: number,
  anchorCounts: boolean,
): WallClockRule {
  const parts = partsOf(text);
  checkParts(parts);
  const until = parts.get("UNTIL");
  const count = parts.get("COUNT");
  if (until !== undefined && count !== undefined) {
    throw refuse("rrule", "rrule may have COUNT or UNTIL, not both.");
  }
  const compile = (counted: number | null) => {
    const rule = compileParts(parts, anchorWallMs, counted);
    if (rule === null) throw refuse("rrule", `rrule cannot be read. ${HOW}`);
    return rule;
  };
  const rule = compile(count === undefined ? null : countOf(count));
  const isOnAnchor = () => nextOf(rule, anchorWallMs - 1) === anchorWallMs;
  const counted =
    count !== undefined && !anchorCounts && isOnAnchor() ? compile(countOf(count) + 1) : rule;
  return {
    until: until === undefined ? null : untilOf(until),
    next: (wallMs) => nextOf(counted, wallMs),
  };
}

function partsOf(text: string): Map<string, string> {
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

function checkParts(parts: ReadonlyMap<string, string>): void {
  const frequency = parts.get("FREQ");
  if (frequency === undefined || !FREQUENCIES.includes(frequency)) {
    throw refuse("rrule", `rrule must have FREQ, one of ${FREQUENCIES.join(", ")}.`);
  }
  const interval = parts.get("INTERVAL");
  if (interval !== undefined && !isWithin(interval, INTERVAL_MAX)) {
    throw refuse("rrule", `INTERVAL in rrule must be a whole number from 1 to ${INTERVAL_MAX}.`);
  }
  if (parts.get("BYSECOND")?.includes(",")) {
    throw refuse("rrule", "rrule may name one second at most: at most one text a minute.");
  }
  for (const name of [...Object.keys(LISTS), "BYDAY"]) {
    const items = parts.get(name)?.split(",") ?? [];
    if (!items.every((item) => isListed(name, item))) {
      throw refuse("rrule", `${name} in rrule cannot be read. ${HOW}`);
    }
  }
}

function isListed(name: string, item: string): boolean {
  const range = LISTS[name];
  if (range === undefined) return DAYS.test(item);
  const match = /^([+-]?)(\d{1,3})$/.exec(item);
  const number = Number(match?.[2] ?? Number.NaN);
  const isSigned = match?.[1] !== "";
  return number >= range.from && number <= range.to && (!isSigned || range.fromEnd === true);
}

function countOf(text: string): number {
  if (!isWithin(text, RULE_OCCURRENCES_MAX)) {
    throw refuse(
      "rrule",
      `COUNT in rrule must be a whole number from 1 to ${RULE_OCCURRENCES_MAX}.`,
    );
  }
  return Number(text);
}

function isWithin(text: string, max: number): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max;
}

/** A moment in UTC, a reading of the clock, or a day, which counts whole. */
function untilOf(text: string): NonNullable<WallClockRule["until"]> {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text);
  if (match) {
    const [, year, month, day, hour = "23", minute = "59", second = "59", zone] = match;
    const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    if (!Number.isNaN(ms)) return zone === "Z" ? { atMs: ms } : { wallMs: ms };
  }
  throw refuse(
    "rrule",
    "UNTIL in rrule must be a day (20271231), a local time (20271231T170000) or one in UTC (20271231T170000Z).",
  );
}

function compileParts(
  parts: ReadonlyMap<string, string>,
  anchorWallMs: number,
  count: number | null,
): RRuleTemporal | null {
  const kept = [...parts].filter(([name]) => name !== "UNTIL" && name !== "COUNT");
  const rule = kept.map(([name, value]) => `${name}=${value}`);
  if (count !== null) rule.push(`COUNT=${count}`);
  const start = new Date(anchorWallMs).toISOString().replace(/[-:]|\.\d+/g, "");
  try {
    return new RRuleTemporal({
      rruleString: `DTSTART:${start}\nRRULE:${rule.join(";")}`,
      strict: true,
      cache: false,
      maxIterations: SEARCH_STEPS_MAX,
    });
  } catch {
    return null;
  }
}

function nextOf(rule: RRuleTemporal, wallMs: number): number | null {
  try {
    return rule.next(new Date(wallMs))?.epochMilliseconds ?? null;
  } catch {
    // It has searched for as long as it may: such a rule never comes, or hardly ever.
    return null;
  }
}
