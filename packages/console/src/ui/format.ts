import { formatNational } from "@longwave/contract/tables";
import { zoneChoice } from "../preferences.ts";

/**
 * Formats numbers, money, phones and times in the reader's locale, and in their time zone or UTC.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const zone = zoneChoice() === "utc" ? { timeZone: "UTC" } : {};
const count = new Intl.NumberFormat();
const usd = { style: "currency", currency: "USD" } as const;
const dollars = new Intl.NumberFormat(undefined, { ...usd, minimumFractionDigits: 2 });
const cents = new Intl.NumberFormat(undefined, {
  ...usd,
  minimumFractionDigits: 3,
  maximumFractionDigits: 4,
});
const prices = new Intl.NumberFormat(undefined, {
  ...usd,
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "long",
  ...zone,
});
const ofDay = { hour: "2-digit", minute: "2-digit", hour12: false, ...zone } as const;
const hourOfDay = new Intl.DateTimeFormat(undefined, ofDay);
const clockTime = new Intl.DateTimeFormat(undefined, { ...ofDay, second: "2-digit" });
const shortDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", ...zone });
const weekday = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  year: "numeric",
  month: "short",
  day: "numeric",
  ...zone,
});
const dayWithYear = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", ...zone });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "short",
  ...zone,
});

export function formatCount(value: number): string {
  return count.format(value);
}

/** Two decimals; up to four below a cent, because a message costs less. */
export function formatUsd(usd: number): string {
  return (Math.abs(usd) < 0.01 && usd !== 0 ? cents : dollars).format(usd);
}

/** A price as it was set: up to six decimals. */
export function formatPrice(usd: number): string {
  return prices.format(usd);
}

export function formatPercent(fraction: number): string {
  return `${(fraction * 100).toFixed(fraction >= 0.9995 || fraction === 0 ? 0 : 1)} %`;
}

/** (415) 555-0123 for a North American number; any other number unchanged. */
export function formatPhone(e164: string): string {
  return /^\+1\d{10}$/.test(e164) ? formatNational(e164) : e164;
}

export function formatExact(iso: string): string {
  return exact.format(new Date(iso));
}

export function formatDayAndTime(iso: string): string {
  return dayAndTime.format(new Date(iso));
}

const inZone = new Map<string, Intl.DateTimeFormat>();

/** Date and time in a given zone: "Dec 1, 2026, 9:30 AM EST". */
export function formatInZone(iso: string, timeZone: string): string {
  let format = inZone.get(timeZone);
  if (!format) {
    const day = { year: "numeric", month: "short", day: "numeric" } as const;
    const time = { hour: "numeric", minute: "2-digit", timeZoneName: "short" } as const;
    format = new Intl.DateTimeFormat(undefined, { ...day, ...time, timeZone });
    inZone.set(timeZone, format);
  }
  return format.format(new Date(iso));
}

export function formatClock(iso: string): string {
  return clockTime.format(new Date(iso));
}

export function formatHour(iso: string): string {
  return hourOfDay.format(new Date(iso));
}

export function formatDay(iso: string): string {
  return shortDay.format(new Date(iso));
}

/** "Mon, Nov 16, 2026" */
export function formatWeekday(iso: string): string {
  return weekday.format(new Date(iso));
}

/** "just now", "3 min ago", "in 12 s"; a date once the distance is long. */
export function formatRelative(iso: string, nowMs: number): string {
  const at = Date.parse(iso);
  const distance = Math.abs(nowMs - at);
  if (distance < 5 * SECOND_MS) return "just now";
  const isAhead = at > nowMs;
  if (distance >= 7 * DAY_MS) return dayWithYear.format(at);
  const text = formatDistance(distance);
  return isAhead ? `in ${text}` : `${text} ago`;
}

export function formatDistance(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.round(ms / HOUR_MS)} h`;
  const days = Math.round(ms / DAY_MS);
  return days === 1 ? "1 day" : `${days} days`;
}

const KIB = 1_024;
const BYTE_UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** A size: 512 bytes, 41 MB, 1.2 GB. */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / KIB ** power;
  const digits = power > 0 && value < 10 ? 1 : 0;
  return `${value.toFixed(digits)} ${BYTE_UNITS[power]}`;
}

/** A duration: 41 ms, 4.1 s, 2 min. */
export function formatTook(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  return formatDistance(ms);
}

/** "1 number", "2 numbers", "4,812 people". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}
