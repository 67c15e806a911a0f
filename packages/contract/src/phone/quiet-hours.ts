/**
 * Hours without messages, in the recipient's local time. `start` and `end` are minutes of the day;
 * the end is exclusive. Hours that pass midnight end the next day.
 */
export interface QuietHours {
  readonly startMinute: number;
  readonly endMinute: number;
  /** The hours that the law of the recipient's state allows apply as well. */
  readonly byLaw?: boolean;
  /** Zone of the contact, which replaces those of the area code. */
  readonly zone?: string | null;
}

/** Zones that a contact may name. Stored by index: append only. */
export const CONTACT_ZONES: readonly string[] = [
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Phoenix",
  "America/Los_Angeles",
  "America/Boise",
  "America/Anchorage",
  "Pacific/Honolulu",
  "America/Puerto_Rico",
  "Pacific/Guam",
  "Pacific/Pago_Pago",
  "America/Toronto",
  "America/Winnipeg",
  "America/Regina",
  "America/Edmonton",
  "America/Vancouver",
  "America/Halifax",
  "America/St_Johns",
  "America/Whitehorse",
  "America/Detroit",
  "America/Indiana/Indianapolis",
  "America/Adak",
  "America/Panama",
];

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
/** Search limit: zones that have not agreed within it never do. */
const SEARCHED_MS_MAX = 2 * DAY_MINUTES * MINUTE_MS;

/** Parses `21:00` to minutes of the day; null when invalid. */
export function parseTimeOfDay(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
}

export function formatTimeOfDay(minute: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** Quiet hours as one number, as stored in tables. Zero length means none. */
export const NO_QUIET_HOURS = 0;

export function packQuietHours({ startMinute, endMinute, byLaw, zone }: QuietHours): number {
  const zoneNumber = zone ? CONTACT_ZONES.indexOf(zone) + 1 : 0;
  return (
    (zoneNumber * 2 + (byLaw ? 1 : 0)) * DAY_MINUTES * DAY_MINUTES +
    startMinute * DAY_MINUTES +
    endMinute
  );
}

export function unpackQuietHours(packed: number): Required<QuietHours> {
  const times = packed % (DAY_MINUTES * DAY_MINUTES);
  const flags = Math.floor(packed / (DAY_MINUTES * DAY_MINUTES));
  return {
    startMinute: Math.floor(times / DAY_MINUTES),
    endMinute: times % DAY_MINUTES,
    byLaw: flags % 2 === 1,
    zone: CONTACT_ZONES[Math.floor(flags / 2) - 1] ?? null,
  };
}

/**
 * End of the quiet hours in all zones; null when none of the zones is in them at `nowMs`. When the
 * zones never agree, the first one decides.
 */
export function quietUntil(
  quiet: QuietHours,
  zones: readonly string[],
  nowMs: number,
): number | null {
  let at = nowMs;
  while (at - nowMs <= SEARCHED_MS_MAX) {
    const zone = zones.find((one) => isQuiet(quiet, minuteIn(one, at)));
    if (zone === undefined) return at === nowMs ? null : at;
    at = endIn(quiet, zone, at);
  }
  return quietUntil(quiet, zones.slice(0, 1), nowMs);
}

function isQuiet({ startMinute, endMinute }: QuietHours, minute: number): boolean {
  return startMinute < endMinute
    ? minute >= startMinute && minute < endMinute
    : minute >= startMinute || minute < endMinute;
}

/** End of the quiet hours in one zone, for a time within them. */
function endIn({ endMinute }: QuietHours, zone: string, ms: number): number {
  const wait = (endMinute - minuteIn(zone, ms) + DAY_MINUTES) % DAY_MINUTES;
  const minuteMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const end = minuteMs + wait * MINUTE_MS;
  // On the day of a DST change the computed end is off by an hour.
  const late =
    ((minuteIn(zone, end) - endMinute + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  return Math.max(end - late * MINUTE_MS, minuteMs + MINUTE_MS);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Local minute of the day in a zone. */
function minuteIn(zone: string, ms: number): number {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    const options = {
      timeZone: zone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    } as const;
    clock = new Intl.DateTimeFormat("en-GB", options);
    clocks.set(zone, clock);
  }
  const [hour = "0", minute = "0"] = clock.format(ms).split(":");
  return Number(hour) * 60 + Number(minute);
}
