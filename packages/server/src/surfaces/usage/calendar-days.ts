import { momentOf, wallClockAt } from "../../core/platform/time-zones.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A calendar day of a time zone: [fromMs, untilMs). */
export interface CalendarDay {
  /** Such as 2026-03-01. */
  readonly day: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Minutes ahead of UTC; null for a day with a clock change, or with an offset of part of a minute. */
  readonly offsetMinutes: number | null;
}

/** Days of the zone that [fromMs, beforeMs) touches, oldest first. */
export function calendarDays(fromMs: number, beforeMs: number, zone: string): CalendarDay[] {
  const days: CalendarDay[] = [];
  let wallMs = startOfDay(wallClockAt(fromMs, zone));
  let startMs = momentOf(wallMs, zone);
  while (startMs < beforeMs) {
    const untilMs = momentOf(wallMs + DAY_MS, zone);
    const offsetMinutes = (wallMs - startMs) / MINUTE_MS;
    const isPlain = untilMs - startMs === DAY_MS && Number.isInteger(offsetMinutes);
    const day = new Date(wallMs).toISOString().slice(0, 10);
    // A zone that crosses the date line skips a day.
    if (untilMs > startMs) {
      days.push({ day, fromMs: startMs, untilMs, offsetMinutes: isPlain ? offsetMinutes : null });
    }
    wallMs += DAY_MS;
    startMs = untilMs;
  }
  return days;
}

/** The zone's midnight that ends the day of `ms`. */
export function endOfDay(ms: number, zone: string): number {
  return momentOf(startOfDay(wallClockAt(ms, zone)) + DAY_MS, zone);
}

/** `days` calendar days later, at the same reading of the zone's clocks. */
export function addDays(ms: number, days: number, zone: string): number {
  return momentOf(wallClockAt(ms, zone) + days * DAY_MS, zone);
}

function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}
