import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, calendarDays, endOfDay } from "./calendar-days.ts";

const ms = (iso: string) => Date.parse(iso);

test("a window's days begin at the zone's midnight, and one with a clock change has no offset", () => {
  const days = calendarDays(
    ms("2026-03-07T12:00:00Z"),
    ms("2026-03-09T12:00:00Z"),
    "America/New_York",
  );
  assert.deepEqual(days, [
    {
      day: "2026-03-07",
      fromMs: ms("2026-03-07T05:00:00Z"),
      untilMs: ms("2026-03-08T05:00:00Z"),
      offsetMinutes: -300,
    },
    {
      day: "2026-03-08",
      fromMs: ms("2026-03-08T05:00:00Z"),
      untilMs: ms("2026-03-09T04:00:00Z"),
      offsetMinutes: null,
    },
    {
      day: "2026-03-09",
      fromMs: ms("2026-03-09T04:00:00Z"),
      untilMs: ms("2026-03-10T04:00:00Z"),
      offsetMinutes: -240,
    },
  ]);
});

test("a day that a zone skips is left out", () => {
  const days = calendarDays(ms("2011-12-29T12:00:00Z"), ms("2012-01-01T00:00:00Z"), "Pacific/Apia");
  assert.deepEqual(
    days.map(({ day }) => day),
    ["2011-12-29", "2011-12-31", "2012-01-01"],
  );
});

test("an empty window has no days", () => {
  assert.deepEqual(calendarDays(0, 0, "UTC"), []);
});

test("days are added by the zone's calendar", () => {
  const noon = ms("2026-03-07T17:00:00Z");
  assert.equal(addDays(noon, 2, "America/New_York"), ms("2026-03-09T16:00:00Z"));
  assert.equal(endOfDay(noon, "America/New_York"), ms("2026-03-08T05:00:00Z"));
});
