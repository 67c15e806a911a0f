import { zoneChoice } from "../preferences.ts";

const MINUTE_MS = 60_000;
/** "2026-11-17T08:30": what a browser's own field for a moment holds. */
const FIELD_CHARS = 16;

/** A moment as the browser's field shows it, on the clock that all times are shown by; "" is none. */
export function fieldOf(moment: string): string {
  const at = new Date(/^\d+$/.test(moment) ? Number(moment) : moment);
  if (Number.isNaN(at.getTime())) return "";
  const offsetMs = isUtc() ? 0 : at.getTimezoneOffset() * MINUTE_MS;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, FIELD_CHARS);
}

/** What was written into the field, as the API takes it. */
export function momentOf(field: string): string {
  const at = new Date(isUtc() ? `${field}Z` : field);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

export function zoneName(): string {
  return isUtc() ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function isUtc(): boolean {
  return zoneChoice() === "utc";
}
