import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatTimeOfDay,
  packQuietHours,
  parseTimeOfDay,
  quietUntil,
  unpackQuietHours,
} from "./quiet-hours.ts";
import { ALL_ZONES, zonesOf } from "./time-zones.ts";

const NIGHT = { startMinute: 21 * 60, endMinute: 8 * 60 };
const until = (iso: string, ...zones: string[]) => {
  const ms = quietUntil(NIGHT, zones, Date.parse(iso));
  return ms === null ? null : new Date(ms).toISOString();
};

test("quiet hours end at their local time, also on DST changes", () => {
  assert.equal(until("2026-11-16T17:00:00Z", "America/New_York"), null);
  assert.equal(until("2026-11-17T02:00:00Z", "America/New_York"), "2026-11-17T13:00:00.000Z");
  assert.equal(until("2026-11-17T12:59:59Z", "America/New_York"), "2026-11-17T13:00:00.000Z");
  assert.equal(until("2026-11-17T13:00:00Z", "America/New_York"), null);
  assert.equal(until("2026-03-08T03:00:00Z", "America/New_York"), "2026-03-08T12:00:00.000Z");
  assert.equal(until("2026-11-01T02:00:00Z", "America/New_York"), "2026-11-01T13:00:00.000Z");
});

test("with several possible zones, quiet hours end once all zones are out of them", () => {
  const zones = ["America/New_York", "America/Los_Angeles"];
  assert.equal(until("2026-11-16T14:00:00Z", ...zones), "2026-11-16T16:00:00.000Z");
  assert.equal(until("2026-11-17T02:30:00Z", ...zones), "2026-11-17T16:00:00.000Z");
});

test("when the zones never agree, the first zone decides, and nothing waits forever", () => {
  const long = { startMinute: 12 * 60, endMinute: 11 * 60 };
  const zones = ["America/New_York", "America/Los_Angeles"];
  const now = Date.parse("2026-11-16T20:00:00Z");
  const end = quietUntil(long, zones, now);
  assert.equal(new Date(end ?? 0).toISOString(), "2026-11-17T16:00:00.000Z");
  assert.equal(quietUntil(long, zones, end ?? 0), null);
  for (const to of ["+18005550100", "+15005550000"]) assert.equal(zonesOf(to), ALL_ZONES);
  for (let hour = 0; hour < 24 * 370; hour += 7) {
    const at = Date.parse("2026-01-01T00:30:00Z") + hour * 3_600_000;
    const until = quietUntil(NIGHT, ALL_ZONES, at);
    if (until === null) continue;
    assert.ok(until - at <= 2 * 86_400_000);
    assert.equal(quietUntil(NIGHT, ALL_ZONES, until), null);
  }
});

test("for a year, every minute outside quiet hours passes, and every minute inside waits for the next one outside", () => {
  const local = new Intl.DateTimeFormat("en-US", {
    timeZone: "America/New_York",
    hour: "numeric",
    hourCycle: "h23",
  });
  const isDay = (ms: number) => {
    const hour = Number(local.format(ms));
    return hour >= 8 && hour < 21;
  };
  for (
    let at = Date.parse("2026-01-01T00:15:00Z");
    at < Date.parse("2027-01-01");
    at += 3_600_000
  ) {
    const until = quietUntil(NIGHT, ["America/New_York"], at);
    assert.equal(until === null, isDay(at), new Date(at).toISOString());
    if (until === null) continue;
    assert.ok(isDay(until) && !isDay(until - 1), new Date(at).toISOString());
    assert.ok(until - at <= 12 * 3_600_000);
  }
});

test("quiet hours are stored as one number", () => {
  for (const quiet of [NIGHT, { startMinute: 0, endMinute: 1_439 }]) {
    const stored = unpackQuietHours(packQuietHours(quiet));
    assert.deepEqual(stored, { byLaw: false, zone: null, ...quiet });
  }
  assert.equal(formatTimeOfDay(5), "00:05");
});

test("hours and minutes need two digits each", () => {
  assert.equal(parseTimeOfDay("08:30"), 510);
  for (const text of ["8:30", "24:00", "08:60", "08:30 ", ""])
    assert.equal(parseTimeOfDay(text), null);
});
