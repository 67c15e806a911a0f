import { parseTimestamp } from "@longwave/contract";
import { TwilioRefusal } from "./refusals.ts";

const DAY_MS = 86_400_000;

/** Timestamp format of the 2010 API: `Thu, 24 Aug 2023 05:01:45 +0000`. */
export function rfc2822(iso: string | number | null): string | null {
  return iso === null ? null : new Date(iso).toUTCString().replace(/GMT$/, "+0000");
}

/** Timestamp format of the v2 API: without milliseconds. */
export function isoSeconds(iso: string): string {
  return `${iso.slice(0, 19)}Z`;
}

/** Parses a timestamp, or a date as its first moment in UTC. */
export function parseTimestampIn(text: string, name: string): number {
  const whole = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  const ms = parseTimestamp(whole);
  if (ms === null) {
    throw new TwilioRefusal(
      20001,
      `${name} must be a date such as 2026-12-01, or a moment in UTC.`,
    );
  }
  return ms;
}

/** Start of the UTC day and of the next. */
export function dayAround(ms: number): { readonly from: number; readonly to: number } {
  const from = Math.floor(ms / DAY_MS) * DAY_MS;
  return { from, to: from + DAY_MS };
}
