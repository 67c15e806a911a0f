import { zoneChoice } from "../preferences.ts";

/** Calendar days and months in the time zone that the reader chose, written as 2026-11-16 and 2026-11. */

/** IANA zone of the reader's days. */
export function readerZone(): string {
  return zoneChoice() === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Start of the calendar day that contains this time, `daysBack` days earlier. */
export function dayStartMs(atMs: number, daysBack = 0): number {
  const [year, month, day] = partsOf(atMs);
  return midnightMs(year, month, day - daysBack);
}

/** Name of the calendar day that contains this time. */
export function dayName(atMs: number): string {
  const [year, month, day] = partsOf(atMs);
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

/** Starts of the calendar days from the one that contains `fromMs` up to `beforeMs`, oldest first. */
export function dayStarts(fromMs: number, beforeMs: number): number[] {
  const starts: number[] = [];
  for (let at = dayStartMs(fromMs); at < beforeMs; at = dayStartMs(at, -1)) starts.push(at);
  return starts;
}

/** Names of the newest months, the present one first. */
export function newestMonths(nowMs: number, count: number): string[] {
  const [year, month] = partsOf(nowMs);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(year, month - back, 1)).toISOString().slice(0, 7),
  );
}

/** Start of the month and of the one after it. */
export function monthBoundsMs(month: string): readonly [fromMs: number, beforeMs: number] {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return [midnightMs(year, number - 1, 1), midnightMs(year, number, 1)];
}

const longMonth = new Intl.DateTimeFormat(undefined, {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** "November 2026" */
export function formatMonth(month: string): string {
  return longMonth.format(new Date(`${month}-01T00:00:00Z`));
}

function partsOf(atMs: number): [year: number, month: number, day: number] {
  const at = new Date(atMs);
  return zoneChoice() === "utc"
    ? [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
    : [at.getFullYear(), at.getMonth(), at.getDate()];
}

function midnightMs(year: number, month: number, day: number): number {
  return zoneChoice() === "utc" ? Date.UTC(year, month, day) : new Date(year, month, day).getTime();
}
