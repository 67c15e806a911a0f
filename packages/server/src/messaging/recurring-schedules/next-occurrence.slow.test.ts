import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RULE_CREATED_MS as FROM, parsedRule } from "../../../testing/parsed-rule.ts";
import { changesOf, momentOfReading, readingAt } from "../../../testing/zone-oracle.ts";
import type { StoredRule } from "./next-occurrence.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNTIL = Date.UTC(2046, 0, 1);
/** Clock changes by an hour, by half an hour, negative summer time, during Ramadan, at 2:45, and none. */
const ZONES = [
  "America/New_York",
  "Australia/Lord_Howe",
  "Europe/Dublin",
  "Africa/Casablanca",
  "Pacific/Chatham",
  "Asia/Kolkata",
];

/** All occurrences after `afterMs` up to `untilMs`. */
function between(text: Partial<StoredRule>, afterMs: number, untilMs: number): number[] {
  const parsed = parsedRule(text);
  const found: number[] = [];
  for (let at = parsed.nextAfter(afterMs); at !== null && at <= untilMs; ) {
    found.push(at);
    at = parsed.nextAfter(at);
  }
  return found;
}

/** The same by asking Intl about every reading that is so far from midnight. */
function expected(
  zone: string,
  afterMs: number,
  untilMs: number,
  stepMs: number,
  isMeant: (reading: number) => boolean,
): number[] {
  const first = Math.floor((readingAt(afterMs, zone) - DAY_MS) / DAY_MS) * DAY_MS;
  const moments = new Set<number>();
  for (let reading = first; reading <= untilMs + 2 * DAY_MS; reading += stepMs) {
    if (isMeant(reading)) moments.add(momentOfReading(reading, zone));
  }
  return [...moments].filter((ms) => ms > afterMs && ms <= untilMs).sort((a, b) => a - b);
}

const minuteOfDay = (reading: number) => (reading % DAY_MS) / 60_000;

describe("rules in their zones", () => {
  for (const zone of ZONES.slice(0, 4)) {
    it(`half past two every day for twenty years in ${zone}`, () => {
      const isMeant = (reading: number) => minuteOfDay(reading) === 150;
      const all = expected(zone, FROM, UNTIL, 30 * 60_000, isMeant);
      assert.deepEqual(between({ cron: "30 2 * * *", time_zone: zone }, FROM, UNTIL), all);
      assert.ok(all.length >= 7_304);
    });

    it(`Mondays and Thursdays at a quarter past one for twenty years in ${zone}`, () => {
      const isMeant = (reading: number) =>
        minuteOfDay(reading) === 75 && [1, 4].includes(new Date(reading).getUTCDay());
      const all = expected(zone, FROM, UNTIL, 15 * 60_000, isMeant);
      const text = { rrule: "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=1;BYMINUTE=15;BYSECOND=0" };
      assert.deepEqual(between({ ...text, time_zone: zone }, FROM, UNTIL), all);
    });
  }

  for (const zone of ZONES) {
    it(`every half hour around each change of clocks in ${zone}`, () => {
      for (const change of changesOf(zone, FROM, UNTIL)) {
        const [after, until] = [change - 5 * HOUR_MS, change + 5 * HOUR_MS];
        const all = expected(zone, after, until, 30 * 60_000, () => true);
        const texts = [
          { cron: "0,30 * * * *" },
          { rrule: "FREQ=MINUTELY;INTERVAL=30", start_at: momentOfReading(FROM, zone) },
        ];
        for (const text of texts) {
          assert.deepEqual(between({ ...text, time_zone: zone }, after, until), all, zone);
        }
      }
    });
  }
});
