/**
 * Timestamps of clients: ISO 8601 with a zone, or epoch milliseconds.
 *
 * Two mistakes that would send a message at the wrong time are refused: a time without a zone, and
 * epoch seconds instead of milliseconds (as milliseconds, every second of this century falls in
 * 1970).
 */

/** Fewer milliseconds fall before March 1973, and are far more likely seconds. */
export const EPOCH_MS_MIN = 100_000_000_000;
/** 9999-12-31T23:59:59.999Z, the last instant with a four-digit year. */
export const EPOCH_MS_MAX = 253_402_300_799_999;
/** 0000-01-01T00:00:00.000Z, the first one. */
const ISO_MS_MIN = -62_167_219_200_000;

/** Accepted forms, for error messages. */
export const TIMESTAMP_FORM =
  "an ISO 8601 time with its zone, such as 2026-11-20T17:00:00Z or 2026-11-20T09:00:00-08:00, or epoch milliseconds";

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))$/i;
const DIGITS = /^[1-9]\d{11,14}$/;
const ISO_CHARS_MAX = 40;

function parseEpochMs(value: number): number | null {
  return Number.isInteger(value) && value >= EPOCH_MS_MIN && value <= EPOCH_MS_MAX ? value : null;
}

/** UTC midnight of a date; null when the calendar has no such date. */
function parseDate(year: number, month: number, day: number): number | null {
  // Date.UTC maps the years 0 to 99 to 1900 to 1999; setUTCFullYear does not.
  const ms = new Date(0).setUTCFullYear(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : null;
}

function parseIso(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = match;
  const midnight = parseDate(Number(year), Number(month), Number(day));
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second ?? 0)];
  const [zoneHours, zoneMinutes] = [Number(zoneHour ?? 0), Number(zoneMinute ?? 0)];
  if (midnight === null || hours > 23 || minutes > 59 || seconds > 59) return null;
  if (zoneHours > 23 || zoneMinutes > 59) return null;
  // Truncate below a millisecond: rounding could move a time past the given one.
  const milliseconds = Number((fraction ?? "").slice(0, 3).padEnd(3, "0"));
  const offset = (zoneHours * 60 + zoneMinutes) * 60_000 * (sign === "-" ? -1 : 1);
  const ms = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds - offset;
  return ms >= ISO_MS_MIN && ms <= EPOCH_MS_MAX ? ms : null;
}

/** Parses a timestamp to epoch milliseconds; null when invalid. */
export function parseTimestamp(value: string | number): number | null {
  if (typeof value === "number") return parseEpochMs(value);
  if (value.length > ISO_CHARS_MAX) return null;
  return DIGITS.test(value) ? parseEpochMs(Number(value)) : parseIso(value);
}

/** ISO 8601 in UTC with milliseconds, as in every response of the API. */
export function formatTimestamp(ms: number): string {
  // Cached: under load many timestamps share a millisecond, and formatting is slow.
  const slot = Math.abs(Math.trunc(ms) % FORMATTED_MAX);
  if (ms !== formattedMs[slot]) {
    formattedTexts[slot] = new Date(ms).toISOString();
    formattedMs[slot] = ms;
  }
  return formattedTexts[slot] as string;
}

/** Cache size: an event's own timestamp, and those derived from it by fixed delays. */
const FORMATTED_MAX = 61;
const formattedMs: number[] = new Array(FORMATTED_MAX).fill(Number.NaN);
const formattedTexts: string[] = new Array(FORMATTED_MAX).fill("");
