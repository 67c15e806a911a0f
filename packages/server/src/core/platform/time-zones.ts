import { Temporal } from "temporal-polyfill";

/**
 * Wall-clock time in the time zones of the IANA. A reading of a clock is written as the epoch
 * milliseconds that the same reading would have in UTC, so that arithmetic on it is arithmetic.
 */

/** A stretch of time in which the clocks of a zone do not change. */
interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const DAY_MS = 86_400_000;
const STRETCHES_MAX = 5_000;

/** Whether a name is that of a zone. Plain offsets are none: they know no change of clocks. */
export function isTimeZone(name: string): boolean {
  if (stretches.has(name)) return true;
  if (!ZONE_NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of a zone read at a moment. */
export function wallClockAt(ms: number, zone: string): number {
  return ms + offsetAt(ms, zone);
}

/**
 * When the clocks of a zone read this. A reading that a change of clocks skips is taken by the clock
 * before the change, so it moves forward by as much (RFC 5545, 3.3.5); one that comes twice is the
 * first of the two.
 */
export function momentOf(wallMs: number, zone: string): number {
  const before = wallMs - offsetAt(wallMs - DAY_MS, zone);
  const after = wallMs - offsetAt(wallMs + DAY_MS, zone);
  if (before === after || wallClockAt(before, zone) === wallMs) return before;
  return wallClockAt(after, zone) === wallMs ? after : before;
}

/** What is known of each zone: asking takes a hundred times as long as looking. */
const stretches = new Map<string, Stretch[]>();
let stretchesKept = 0;

function offsetAt(ms: number, zone: string): number {
  const known = stretches.get(zone);
  const found = known?.find((one) => ms >= one.fromMs && ms < one.untilMs);
  if (found) return found.offsetMs;
  const stretch = askStretch(ms, zone);
  if (stretchesKept >= STRETCHES_MAX) {
    stretches.clear();
    stretchesKept = 0;
  }
  stretchesKept += 1;
  // The newest first: those asked for next are near it.
  stretches.set(zone, [stretch, ...(stretches.get(zone) ?? [])]);
  return stretch.offsetMs;
}

function askStretch(ms: number, zone: string): Stretch {
  const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  // A change at this very moment has happened; the one before it is looked for from a moment later.
  const changed = there.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const changes = there.getTimeZoneTransition("next");
  return {
    fromMs: changed?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    untilMs: changes?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: Math.round(there.offsetNanoseconds / 1_000_000),
  };
}
