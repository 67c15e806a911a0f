import { zoneChoice } from "../preferences.ts";

const MINUTE_MS = 60_000;
/** Length of a datetime-local field's value, such as "2026-11-17T08:30". */
const FIELD_CHARS = 16;

/** Value for a datetime-local field, in the reader's display zone; "" for none. */
export function toDatetimeField(moment: string): string {
  const at = new Date(/^\d+$/.test(moment) ? Number(moment) : moment);
  if (Number.isNaN(at.getTime())) return "";
  const offsetMs = isUtc() ? 0 : at.getTimezoneOffset() * MINUTE_MS;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, FIELD_CHARS);
}

/** The field's value as the API takes it. */
export function fromDatetimeField(field: string): string {
  const at = new Date(isUtc() ? `${field}Z` : field);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

export function zoneName(): string {
  return isUtc() ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function isUtc(): boolean {
  return zoneChoice() === "utc";
}
