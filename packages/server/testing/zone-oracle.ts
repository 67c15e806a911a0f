/**
 * Reference implementation of time zones through Intl, independent of the server's. Readings are epoch
 * milliseconds of a wall clock taken as UTC.
 */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

/** Reading of a zone's wall clock at a time. */
export function readingAt(ms: number, zone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(ms)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Times at which a zone's clocks change, found by comparing consecutive days. */
export function changesOf(zone: string, fromMs: number, untilMs: number): number[] {
  const offset = (ms: number) => readingAt(ms, zone) - ms;
  const changes: number[] = [];
  for (let day = fromMs; day < untilMs; day += DAY_MS) {
    if (offset(day) === offset(day + DAY_MS)) continue;
    let [before, after] = [day, day + DAY_MS];
    while (after - before > MINUTE_MS) {
      const middle = Math.floor((before + after) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offset(middle) === offset(day)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

/**
 * Time of a reading: the first at which clocks show it or, for skipped readings, its time by the offset
 * before the change.
 */
export function momentOfReading(readingMs: number, zone: string): number {
  const before = readingAt(readingMs - DAY_MS, zone) - (readingMs - DAY_MS);
  const after = readingAt(readingMs + DAY_MS, zone) - (readingMs + DAY_MS);
  const shown = [readingMs - before, readingMs - after].filter(
    (ms) => readingAt(ms, zone) === readingMs,
  );
  return shown.length > 0 ? Math.min(...shown) : readingMs - before;
}
