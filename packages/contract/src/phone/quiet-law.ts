/**
 * Hours in which the law allows marketing messages, by state and weekday, in the recipient's local time.
 *
 * Secondary sources are marked: an operator checks them with counsel and sets an edition of their own.
 */
import { formatTimeOfDay, parseTimeOfDay } from "./quiet-hours.ts";

export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Allowed hours of some weekdays. `from` equal to `until` allows none. */
export interface LegalHours {
  /** `US`, or a state; a state's row replaces that of the US on its days. */
  readonly region: string;
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly until: string;
  readonly source: string;
}

/** An edition of the table. */
export interface QuietLaw {
  readonly edition: string;
  readonly hours: readonly LegalHours[];
}

const WORKDAYS: readonly Weekday[] = ["mon", "tue", "wed", "thu", "fri"];
const SECONDARY = "Secondary source; check with counsel";

// biome-ignore format: one row per line, read as a table
export const QUIET_LAW_DEFAULT: QuietLaw = {
  edition: "2026-11",
  hours: [
    { region: "US", days: WEEKDAYS,                  from: "08:00", until: "21:00", source: "47 CFR 64.1200(c)(1)" },
    { region: "AL", days: ["sun"],                   from: "00:00", until: "00:00", source: SECONDARY },
    { region: "CT", days: WEEKDAYS,                  from: "09:00", until: "20:00", source: SECONDARY },
    { region: "FL", days: WEEKDAYS,                  from: "08:00", until: "20:00", source: SECONDARY },
    { region: "LA", days: ["sun"],                   from: "00:00", until: "00:00", source: SECONDARY },
    { region: "MD", days: WEEKDAYS,                  from: "08:00", until: "20:00", source: SECONDARY },
    { region: "MS", days: [...WORKDAYS, "sat"],      from: "08:00", until: "20:00", source: SECONDARY },
    { region: "MS", days: ["sun"],                   from: "00:00", until: "00:00", source: SECONDARY },
    { region: "NJ", days: WEEKDAYS,                  from: "08:00", until: "20:00", source: SECONDARY },
    { region: "OK", days: WEEKDAYS,                  from: "08:00", until: "20:00", source: SECONDARY },
    { region: "RI", days: WORKDAYS,                  from: "09:00", until: "18:00", source: SECONDARY },
    { region: "RI", days: ["sat", "sun"],            from: "10:00", until: "17:00", source: SECONDARY },
    { region: "TX", days: [...WORKDAYS, "sat"],      from: "09:00", until: "21:00", source: "Texas SB 140 of 2025; secondary source" },
    { region: "TX", days: ["sun"],                   from: "12:00", until: "21:00", source: "Texas SB 140 of 2025; secondary source" },
  ],
};

/** Allowed minutes of the day: from the first to before the second. */
function allowedOn(law: QuietLaw, region: string | null, day: Weekday): readonly [number, number] {
  const find = ({ hours }: QuietLaw, of: string | null) =>
    hours.find((row) => row.region === of && row.days.includes(day));
  // A stored edition may lack a day of the US: the built-in row holds then.
  const row = find(law, region) ?? find(law, "US") ?? find(QUIET_LAW_DEFAULT, "US");
  if (row === undefined) return [0, 0];
  return [parseTimeOfDay(row.from) ?? DAY_MINUTES, endMinuteOf(row.until)];
}

/** `24:00` is written `00:00` nowhere: an empty window has equal ends. */
function endMinuteOf(until: string): number {
  return until === "24:00" ? DAY_MINUTES : (parseTimeOfDay(until) ?? 0);
}

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
const SEARCHED_DAYS_MAX = 8;

/** Whether the law lets a message arrive in this zone at this time. */
function isAllowed(law: QuietLaw, region: string | null, zone: string, ms: number): boolean {
  const { day, minute } = localTime(zone, ms);
  const [from, until] = allowedOn(law, region, day);
  return minute >= from && minute < until;
}

/**
 * First time from `nowMs` on at which the law allows a message in all zones; null when it does now. `never`: not within
 * eight days. Windows begin on the quarter of an hour in every zone, so the search goes by quarters.
 */
export function lawfulFrom(
  law: QuietLaw,
  region: string | null,
  zones: readonly string[],
  nowMs: number,
): number | "never" | null {
  const allowed = (ms: number) => zones.every((zone) => isAllowed(law, region, zone, ms));
  if (allowed(nowMs)) return null;
  const quarter = 15 * MINUTE_MS;
  const end = nowMs + SEARCHED_DAYS_MAX * 86_400_000;
  for (let at = Math.floor(nowMs / quarter) * quarter + quarter; at <= end; at += quarter) {
    if (allowed(at)) return at;
  }
  return "never";
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function localTime(zone: string, ms: number): { readonly day: Weekday; readonly minute: number } {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit" },
      hourCycle: "h23",
    });
    clocks.set(zone, clock);
  }
  const parts = new Map(clock.formatToParts(ms).map(({ type, value }) => [type, value]));
  const day = (parts.get("weekday") ?? "").toLowerCase() as Weekday;
  return { day, minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute")) };
}

/** Fault of a table. `index`: the row, null where one is missing. */
interface LawFault {
  readonly index: number | null;
  readonly message: string;
}

/** Fault of a table that somebody wrote, as a sentence; null when it can be used. */
export function faultOfLaw(law: QuietLaw): LawFault | null {
  const seen = new Set<string>();
  for (const [index, row] of law.hours.entries()) {
    const [from, until] = [parseTimeOfDay(row.from) ?? 0, endMinuteOf(row.until)];
    if (from > until) {
      const shown = formatTimeOfDay(from);
      return { index, message: `until is before from (${shown}). Hours do not pass midnight.` };
    }
    if (from % 15 !== 0 || until % 15 !== 0) {
      return { index, message: "from and until are on the quarter of an hour, such as 08:15." };
    }
    for (const day of row.days) {
      if (seen.has(`${row.region} ${day}`)) {
        return { index, message: `${row.region} has two rows for ${day}. Keep one.` };
      }
      seen.add(`${row.region} ${day}`);
    }
  }
  return missingDayOf(seen) ?? closedRegionOf(law);
}

/** The US has a row for every day, because states without one of their own follow it. */
function missingDayOf(seen: ReadonlySet<string>): LawFault | null {
  const day = WEEKDAYS.find((one) => !seen.has(`US ${one}`));
  if (day === undefined) return null;
  return {
    index: null,
    message: `US has no row for ${day}. Give the US hours for all seven days.`,
  };
}

/** Nobody could be texted in a region without an allowed minute: messages to it would wait for ever. */
function closedRegionOf(law: QuietLaw): LawFault | null {
  for (const [index, { region }] of law.hours.entries()) {
    const isOpenOn = (day: Weekday) => {
      const [from, until] = allowedOn(law, region, day);
      return from < until;
    };
    if (WEEKDAYS.some(isOpenOn)) continue;
    const message = `${region} is closed on all seven days. Allow at least a quarter of an hour in the week.`;
    return { index, message };
  }
  return null;
}
