import { serverMs } from "../../clock.ts";
import { dayStartMs, dayStarts } from "../../ui/calendar.ts";
import type { Bucket } from "../../ui/chart.tsx";
import { formatDay, formatHour } from "../../ui/format.ts";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Longer windows show days: more bars would be too thin to read. */
const HOURLY_HOURS_MAX = 48;

/**
 * Hours to ask the API for. A span of days means calendar days of the reader, today included, so
 * that totals and daily bars count the same.
 */
export function hoursOfSpan(spanHours: number, nowAtMs: number = serverMs()): number {
  if (spanHours <= HOURLY_HOURS_MAX) return spanHours;
  const fromMs = dayStartMs(nowAtMs, spanHours / DAY_HOURS - 1);
  return Math.min(spanHours, Math.ceil((nowAtMs - fromMs) / HOUR_MS));
}

/** One bucket per hour, or per calendar day, of the window, empty ones included. */
export function hourBuckets<T extends { readonly hour: string }>(
  hours: number,
  rows: readonly T[],
  valuesOf: (row: T | undefined) => readonly number[],
  nowAtMs: number = serverMs(),
): Bucket[] {
  const isHourly = hours <= HOURLY_HOURS_MAX;
  const starts = isHourly ? hourStarts(hours, nowAtMs) : daysOfHours(hours, nowAtMs);
  const width = valuesOf(undefined).length;
  return starts.map((from, index) => {
    const until = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    const within = rows.filter((row) => {
      const at = Date.parse(row.hour);
      return at >= from && at < until;
    });
    const iso = new Date(from).toISOString();
    const isOpen = index === starts.length - 1;
    return {
      label: isHourly ? formatHour(iso) : formatDay(iso),
      values: sumOf(within.map(valuesOf), width),
      from: iso,
      until: isOpen ? null : new Date(until).toISOString(),
    };
  });
}

function hourStarts(hours: number, nowAtMs: number): number[] {
  const last = Math.floor(nowAtMs / HOUR_MS) * HOUR_MS;
  return Array.from({ length: hours }, (_, index) => last - (hours - 1 - index) * HOUR_MS);
}

function daysOfHours(hours: number, nowAtMs: number): number[] {
  const lastHour = Math.floor(nowAtMs / HOUR_MS) * HOUR_MS;
  return dayStarts(lastHour - (hours - 1) * HOUR_MS, nowAtMs + 1);
}

function sumOf(rows: readonly (readonly number[])[], width: number): number[] {
  return Array.from({ length: width }, (_, index) =>
    rows.reduce((total, row) => total + (row[index] ?? 0), 0),
  );
}
