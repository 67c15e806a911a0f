import assert from "node:assert/strict";
import { test } from "node:test";

// A reader in New York who has chosen to read times in UTC; read once, when the formats are made.
// biome-ignore lint/style/noProcessEnv: another zone than the chosen one, also where the machine is in UTC
process.env["TZ"] = "America/New_York";
Object.assign(globalThis, {
  localStorage: { getItem: (name: string) => (name === "longwave.zone" ? "utc" : null) },
});
const { hourBuckets } = await import("./hours.ts");

const NOW = Date.parse("2026-11-16T12:30:00.000Z");
const rows = [
  { hour: "2026-11-16T11:00:00.000Z", started: 2 },
  { hour: "2026-11-16T12:00:00.000Z", started: 3 },
];
const started = (row: { started: number } | undefined) => [row?.started ?? 0];

test("every hour of the window has a bar, labelled in the reader's chosen time zone", () => {
  assert.deepEqual(hourBuckets(3, rows, started, NOW), [
    { label: "10:00", values: [0] },
    { label: "11:00", values: [2] },
    { label: "12:00", values: [3] },
  ]);
});

test("a longer window shows days, with the sums of their hours", () => {
  const days = hourBuckets(72, rows, started, NOW);
  assert.deepEqual(
    days.map(({ values }) => values[0]),
    [0, 0, 5],
  );
});
