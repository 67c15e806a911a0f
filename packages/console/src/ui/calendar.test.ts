import assert from "node:assert/strict";
import { test } from "node:test";

// biome-ignore lint/style/noProcessEnv: a zone other than UTC, also where the machine is in UTC
process.env["TZ"] = "America/New_York";
const { dayName, dayStarts, formatMonth, monthBoundsMs, newestMonths } = await import(
  "./calendar.ts"
);

const ms = (iso: string) => Date.parse(iso);

test("days begin at the reader's midnight, also when the clocks change", () => {
  const starts = dayStarts(ms("2026-03-07T12:00:00Z"), ms("2026-03-10T04:00:00Z"));
  assert.deepEqual(
    starts.map((at) => new Date(at).toISOString()),
    ["2026-03-07T05:00:00.000Z", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
  );
  assert.deepEqual(starts.map(dayName), ["2026-03-07", "2026-03-08", "2026-03-09"]);
});

test("months go back over the turn of the year", () => {
  assert.deepEqual(newestMonths(ms("2026-02-01T04:00:00Z"), 3), ["2026-01", "2025-12", "2025-11"]);
  assert.deepEqual(
    monthBoundsMs("2025-12").map((at) => new Date(at).toISOString()),
    ["2025-12-01T05:00:00.000Z", "2026-01-01T05:00:00.000Z"],
  );
  assert.equal(formatMonth("2025-12"), "December 2025");
});
