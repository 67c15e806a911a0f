import {
  formatTimeOfDay,
  NO_QUIET_HOURS,
  Problem,
  packQuietHours,
  parseTimeOfDay,
  type QuietHoursGiven,
  type QuietHoursShown,
  unpackQuietHours,
} from "@longwave/contract";

/** Quiet hours of a request, packed as in tables: null if the request has none, 0 to disable them. */
export function readQuietHours(given: QuietHoursGiven | null | undefined): number | null {
  if (given === undefined) return null;
  if (given === null) return NO_QUIET_HOURS;
  const startMinute = minuteOf(given.start, "start");
  const endMinute = minuteOf(given.end, "end");
  if (startMinute === endMinute) {
    throw new Problem(
      "invalid_request",
      "quiet_hours.end must differ from quiet_hours.start: they would last the whole day, or not at all.",
      { param: "quiet_hours.end" },
    );
  }
  return packQuietHours({ startMinute, endMinute, byLaw: given.by_law === true });
}

export function showQuietHours(packed: number | null): QuietHoursShown | null {
  if (packed === null || packed === NO_QUIET_HOURS) return null;
  const { startMinute, endMinute, byLaw } = unpackQuietHours(packed);
  return {
    start: formatTimeOfDay(startMinute),
    end: formatTimeOfDay(endMinute),
    zone_source: "area_code",
    ...(byLaw ? { by_law: true } : {}),
  };
}

/** Quiet hours of a batch or scheduled message: its own, none, or its account's (stored as null). */
export function showOwnQuietHours(packed: number | null): {
  quiet_hours: QuietHoursShown | null;
  uses_account_quiet_hours: boolean;
} {
  return { quiet_hours: showQuietHours(packed), uses_account_quiet_hours: packed === null };
}

function minuteOf(text: string, field: string): number {
  const minute = parseTimeOfDay(text);
  if (minute !== null) return minute;
  const param = `quiet_hours.${field}`;
  throw new Problem("invalid_request", `${param} must be a time of day such as 21:00.`, { param });
}
