import assert from "node:assert/strict";
import { test } from "node:test";
import { readHours, writeHours } from "./lawful-hours.ts";

const HOURS = [
  {
    region: "US",
    days: ["mon", "sun"] as ("mon" | "sun")[],
    from: "08:00",
    until: "21:00",
    source: "47 CFR 64.1200(c)(1), read with counsel",
  },
  { region: "AL", days: ["sun"] as "sun"[], from: "00:00", until: "00:00", source: "State law" },
];

test("a table that is written as CSV reads back the same", () => {
  assert.deepEqual(readHours(writeHours({ hours: HOURS })), HOURS);
});

test("columns are found by name, and weekdays in any separation", () => {
  assert.deepEqual(readHours('days,region,until,from,source\n"Mon, tue;WED",tx,21:00,09:00,x'), [
    { region: "TX", days: ["mon", "tue", "wed"], from: "09:00", until: "21:00", source: "x" },
  ]);
});
