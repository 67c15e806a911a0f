import { serverMs } from "../../clock.ts";
import type { Bucket } from "../../ui/chart.tsx";
import { formatDay, formatHour } from "../../ui/format.ts";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Longer windows show days: more bars would be too thin to read. */
const HOURLY_HOURS_MAX = 48;

/** One bucket per hour (or day) of the window, empty ones included. */
export function hourBuckets<T extends { readonly hour: string }>(
  hours: number,
  rows: readonly T[],
  valuesOf: (row: T | undefined) => readonly number[],
  nowAtMs: number = serverMs(),
): Bucket[] {
  const stepMs = hours <= HOURLY_HOURS_MAX ? HOUR_MS : DAY_HOURS * HOUR_MS;
  const end = Math.floor(nowAtMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  const count = Math.ceil((hours * HOUR_MS) / stepMs);
  return Array.from({ length: count }, (_, index) => {
    const from = end - (count - index) * stepMs;
    const within = rows.filter((row) => {
      const at = Date.parse(row.hour);
      return at >= from && at < from + stepMs;
    });
    const iso = new Date(from).toISOString();
    const label = stepMs === HOUR_MS ? formatHour(iso) : formatDay(iso);
    const values = within.map(valuesOf);
    return { label, values: sumOf(values, valuesOf(undefined).length) };
  });
}

function sumOf(rows: readonly (readonly number[])[], width: number): number[] {
  return Array.from({ length: width }, (_, index) =>
    rows.reduce((total, row) => total + (row[index] ?? 0), 0),
  );
}
