/**
 * Instants as clients write them: ISO 8601 with a zone, or epoch milliseconds.
 *
 * Two mistakes that would send a text at the wrong moment are refused instead of guessed at: a time
 * without a zone, and epoch seconds where milliseconds are meant (read as milliseconds, every
 * second of this century falls in 1970).
 */

/** Below this a number of milliseconds lies before March 1973 and is far more likely seconds. */
export const EPOCH_MS_MIN = 100_000_000_000;
/** 9999-12-31T23:59:59.999Z, the last instant with a four-digit year. */
export const EPOCH_MS_MAX = 253_402_300_799_999;
/** 0000-01-01T00:00:00.000Z, the first one. */
const ISO_MS_MIN = -62_167_219_200_000;

/** What parseTimestamp accepts, for error messages. */
export const TIMESTAMP_FORM =
  "an ISO 8601 time with its zone, such as 2026-11-20T17:00:00Z or 2026-11-20T09:00:00-08:00, or epoch milliseconds";

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))$/i;
const DIGITS = /^[1-9]\d{11,14}$/;
const ISO_CHARS_MAX = 40;

function parseEpochMs(value: number): number | null {
  return Number.isInteger(value) && value >= EPOCH_MS_MIN && value <= EPOCH_MS_MAX ? value : null;
}

/** Midnight of a date in UTC, or null where the calendar has no such date. */
function parseDate(year: number, month: number, day: number): number | null {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; setUTCFullYear does not.
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
  // Finer than a millisecond is cut, not rounded: a time never moves past the one that was given.
  const milliseconds = Number((fraction ?? "").slice(0, 3).padEnd(3, "0"));
  const offset = (zoneHours * 60 + zoneMinutes) * 60_000 * (sign === "-" ? -1 : 1);
  const ms = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds - offset;
  return ms >= ISO_MS_MIN && ms <= EPOCH_MS_MAX ? ms : null;
}

/** Epoch milliseconds of a timestamp, or null where it is not one. */
export function parseTimestamp(value: string | number): number | null {
  if (typeof value === "number") return parseEpochMs(value);
  if (value.length > ISO_CHARS_MAX) return null;
  return DIGITS.test(value) ? parseEpochMs(Number(value)) : parseIso(value);
}

/** ISO 8601 in UTC with milliseconds, as every answer of the API writes it. */
export function formatTimestamp(ms: number): string {
  // Under load many things happen in one millisecond, and writing it out is slow.
  const slot = Math.abs(Math.trunc(ms) % FORMATTED_MAX);
  if (ms !== formattedMs[slot]) {
    formattedTexts[slot] = new Date(ms).toISOString();
    formattedMs[slot] = ms;
  }
  return formattedTexts[slot] as string;
}

/** The times written last: an event's own, and those that follow from it by fixed delays. */
const FORMATTED_MAX = 61;
const formattedMs: number[] = new Array(FORMATTED_MAX).fill(Number.NaN);
const formattedTexts: string[] = new Array(FORMATTED_MAX).fill("");
