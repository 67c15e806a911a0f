import { Temporal } from "temporal-polyfill";

/**
 * Wall-clock time in IANA time zones. A reading is the epoch milliseconds that the same reading would have in UTC, so
 * that plain arithmetic works on it.
 */

/** A period in which a zone's UTC offset does not change. */
interface OffsetPeriod {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const DAY_MS = 86_400_000;
const PERIODS_MAX = 5_000;

/** Whether `name` is an IANA zone. Plain offsets such as `+02:00` are not: they have no daylight-saving changes. */
export function isTimeZone(name: string): boolean {
  if (periodsByZone.has(name)) return true;
  if (!ZONE_NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The reading of a zone's clocks at a time. */
export function wallClockAt(ms: number, zone: string): number {
  return ms + offsetAt(ms, zone);
}

/**
 * The time at which a zone's clocks show a reading. A skipped reading uses the offset before the change, so it moves
 * forward by the gap (RFC 5545, 3.3.5). A repeated reading means its first occurrence.
 */
export function momentOf(wallMs: number, zone: string): number {
  const before = wallMs - offsetAt(wallMs - DAY_MS, zone);
  const after = wallMs - offsetAt(wallMs + DAY_MS, zone);
  if (before === after || wallClockAt(before, zone) === wallMs) return before;
  return wallClockAt(after, zone) === wallMs ? after : before;
}

/** Known periods per zone, cached because asking Temporal takes a hundred times as long. */
const periodsByZone = new Map<string, OffsetPeriod[]>();
let periodsKept = 0;

function offsetAt(ms: number, zone: string): number {
  const known = periodsByZone.get(zone);
  const found = known?.find((one) => ms >= one.fromMs && ms < one.untilMs);
  if (found) return found.offsetMs;
  const period = findPeriod(ms, zone);
  if (periodsKept >= PERIODS_MAX) {
    periodsByZone.clear();
    periodsKept = 0;
  }
  periodsKept += 1;
  // Newest first: the next lookup is probably near it.
  periodsByZone.set(zone, [period, ...(periodsByZone.get(zone) ?? [])]);
  return period.offsetMs;
}

function findPeriod(ms: number, zone: string): OffsetPeriod {
  const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  // A transition at this very millisecond has happened, so search from one millisecond later.
  const changed = there.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const changes = there.getTimeZoneTransition("next");
  return {
    fromMs: changed?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    untilMs: changes?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: Math.round(there.offsetNanoseconds / 1_000_000),
  };
}
