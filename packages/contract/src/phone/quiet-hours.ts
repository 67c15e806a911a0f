/**
 * The hours in which people are not texted, in their own local time. `start` and `end` are minutes of
 * the day; the end is exclusive, and quiet hours that pass midnight end on the day after.
 */
export interface QuietHours {
  readonly startMinute: number;
  readonly endMinute: number;
}

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
/** Where it has not been day in all zones at once for so long, it never is. */
const SEARCHED_MS_MAX = 2 * DAY_MINUTES * MINUTE_MS;

/** `21:00` as minutes of the day; null when it is no such time. */
export function parseTimeOfDay(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
}

export function formatTimeOfDay(minute: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** Quiet hours as one number, as tables keep them. Those of no length are none. */
export const NO_QUIET_HOURS = 0;

export function packQuietHours({ startMinute, endMinute }: QuietHours): number {
  return startMinute * DAY_MINUTES + endMinute;
}

export function unpackQuietHours(packed: number): QuietHours {
  return { startMinute: Math.floor(packed / DAY_MINUTES), endMinute: packed % DAY_MINUTES };
}

/**
 * When the quiet hours are over in every one of the zones; null when they are not on in any of them
 * at `nowMs`. Where it is never day in all zones at once, the first one decides.
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

/** The first moment after one within the quiet hours at which they are over in a zone. */
function endIn({ endMinute }: QuietHours, zone: string, ms: number): number {
  const wait = (endMinute - minuteIn(zone, ms) + DAY_MINUTES) % DAY_MINUTES;
  const minuteMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const end = minuteMs + wait * MINUTE_MS;
  // On a day that the clocks are changed, what was counted off is an hour off.
  const late =
    ((minuteIn(zone, end) - endMinute + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  return Math.max(end - late * MINUTE_MS, minuteMs + MINUTE_MS);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The minute of the day on the clocks of a zone. */
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
