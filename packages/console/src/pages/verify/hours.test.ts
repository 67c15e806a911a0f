import assert from "node:assert/strict";
import { test } from "node:test";

// A reader in New York who has chosen to read times in UTC; read once, when the formats are made.
// biome-ignore lint/style/noProcessEnv: another zone than the chosen one, also where the machine is in UTC
process.env["TZ"] = "America/New_York";
Object.assign(globalThis, {
  localStorage: { getItem: (name: string) => (name === "longwave.zone" ? "utc" : null) },
});
const { hourBuckets, hoursOfSpan } = await import("./hours.ts");

const NOW = Date.parse("2026-11-16T12:30:00.000Z");
const rows = [
  { hour: "2026-11-15T23:00:00.000Z", started: 1 },
  { hour: "2026-11-16T00:00:00.000Z", started: 2 },
  { hour: "2026-11-16T12:00:00.000Z", started: 3 },
];
const started = (row: { started: number } | undefined) => [row?.started ?? 0];
const shown = (hours: number) =>
  hourBuckets(hours, rows, started, NOW).map(({ label, values }) => [label, values[0]]);

test("every hour of the window has a bar, labelled in the reader's chosen time zone", () => {
  assert.deepEqual(shown(3), [
    ["10:00", 0],
    ["11:00", 0],
    ["12:00", 3],
  ]);
});

test("a longer window shows calendar days, today last and still open", () => {
  const hours = hoursOfSpan(72, NOW);
  assert.equal(hours, 48 + 13);
  assert.deepEqual(shown(hours), [
    ["Nov 14", 0],
    ["Nov 15", 1],
    ["Nov 16", 5],
  ]);
  const last = hourBuckets(hours, rows, started, NOW).at(-1);
  assert.deepEqual([last?.from, last?.until], ["2026-11-16T00:00:00.000Z", null]);
});

test("a span of hours is asked for as it is", () => {
  assert.equal(hoursOfSpan(24, NOW), 24);
});
