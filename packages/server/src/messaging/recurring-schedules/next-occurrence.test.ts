import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import { RULE_CREATED_MS as FROM, parsedRule } from "../../../testing/parsed-rule.ts";
import type { StoredRule } from "./next-occurrence.ts";

const DAY_MS = 24 * 3_600_000;

function occurrences(text: Partial<StoredRule>, afterMs: number, count: number): string[] {
  const parsed = parsedRule(text);
  const found: string[] = [];
  for (let at = parsed.nextAfter(afterMs); at !== null && found.length < count; ) {
    found.push(new Date(at).toISOString());
    at = parsed.nextAfter(at);
  }
  return found;
}

describe("clock changes", () => {
  it("a skipped reading moves forward by the change of clocks, a repeated one counts once", () => {
    const march = Date.UTC(2027, 2, 13, 12);
    assert.deepEqual(occurrences({ cron: "30 2 * * *" }, march, 2), [
      "2027-03-14T07:30:00.000Z",
      "2027-03-15T06:30:00.000Z",
    ]);
    const november = Date.UTC(2027, 10, 6, 12);
    assert.deepEqual(occurrences({ cron: "30 1 * * *" }, november, 2), [
      "2027-11-07T05:30:00.000Z",
      "2027-11-08T06:30:00.000Z",
    ]);
  });
});

describe("beginning and end of a rule", () => {
  const start = Date.UTC(2026, 5, 1, 13);

  it("start_at is the first occurrence, the time of creation is none", () => {
    assert.deepEqual(occurrences({ rrule: "FREQ=DAILY;COUNT=2", start_at: start }, FROM, 9), [
      "2026-06-01T13:00:00.000Z",
      "2026-06-02T13:00:00.000Z",
    ]);
    const made = Date.UTC(2026, 5, 1, 13, 0, 0, 250);
    assert.deepEqual(occurrences({ rrule: "FREQ=DAILY;COUNT=2", created_at: made }, made, 9), [
      "2026-06-02T13:00:00.000Z",
      "2026-06-03T13:00:00.000Z",
    ]);
  });

  it("an interval counts from the start, even long after it", () => {
    const text = { rrule: "FREQ=WEEKLY;INTERVAL=2", start_at: start };
    assert.deepEqual(occurrences(text, Date.UTC(2036, 5, 1), 2), [
      "2036-06-02T13:00:00.000Z",
      "2036-06-16T13:00:00.000Z",
    ]);
  });

  it("UNTIL is a time in UTC, a local time, or a whole day", () => {
    const last = (until: string) =>
      occurrences({ rrule: `FREQ=DAILY;UNTIL=${until}`, start_at: start }, FROM, 99).at(-1);
    assert.equal(last("20260604T125959Z"), "2026-06-03T13:00:00.000Z");
    assert.equal(last("20260604T090000"), "2026-06-04T13:00:00.000Z");
    assert.equal(last("20260604"), "2026-06-04T13:00:00.000Z");
  });

  it("end_at is the last possible time, and start_at the first, for a cron", () => {
    const text = { cron: "0 9 * * *", start_at: start, end_at: start + DAY_MS };
    assert.deepEqual(occurrences(text, FROM, 9), [
      "2026-06-01T13:00:00.000Z",
      "2026-06-02T13:00:00.000Z",
    ]);
  });

  it("the last day of a month, and a day that not every year has", () => {
    const monthly = "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0;BYSECOND=0";
    assert.deepEqual(occurrences({ rrule: monthly }, Date.UTC(2028, 0, 15), 2), [
      "2028-01-31T14:00:00.000Z",
      "2028-02-29T14:00:00.000Z",
    ]);
    const leap = "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0;BYSECOND=0";
    assert.deepEqual(occurrences({ rrule: leap }, FROM, 2), [
      "2028-02-29T14:00:00.000Z",
      "2032-02-29T14:00:00.000Z",
    ]);
  });
});

describe("rules that are refused", () => {
  const cases: readonly (readonly [string, Partial<StoredRule>])[] = [
    ["rrule", { rrule: "FREQ=SECONDLY" }],
    ["rrule", { rrule: "FREQ=SOMETIMES" }],
    ["rrule", { rrule: "BYDAY=MO" }],
    ["rrule", { rrule: "FREQ=DAILY;FREQ=DAILY" }],
    ["rrule", { rrule: "FREQ=DAILY;COUNT=2;UNTIL=20270101" }],
    ["rrule", { rrule: "FREQ=DAILY;COUNT=0" }],
    ["rrule", { rrule: "FREQ=DAILY;COUNT=10001" }],
    ["rrule", { rrule: "FREQ=DAILY;INTERVAL=0" }],
    ["rrule", { rrule: "FREQ=DAILY;UNTIL=tomorrow" }],
    ["rrule", { rrule: "FREQ=DAILY;BYHOUR=25" }],
    ["rrule", { rrule: "FREQ=WEEKLY;BYDAY=XX" }],
    ["rrule", { rrule: "FREQ=DAILY;BYHOUR=-1" }],
    ["rrule", { rrule: "FREQ=DAILY;BYSECOND=0,30" }],
    ["rrule", { rrule: "FREQ=DAILY\nDTSTART:20260101T000000Z" }],
    ["rrule", { rrule: "FREQ=DAILY;RDATE=20260101" }],
    ["cron", { cron: "* * * * * *" }],
    ["cron", { cron: "@daily" }],
    ["cron", { cron: "61 9 * * *" }],
    ["cron", { cron: "soon" }],
    ["timezone", { cron: "0 9 * * *", time_zone: "+05:00" }],
    ["timezone", { cron: "0 9 * * *", time_zone: "Mars/Olympus" }],
  ];
  for (const [param, text] of cases) {
    it(`${text.rrule ?? text.cron} ${text.time_zone ?? ""}`, () => {
      assert.throws(
        () => parsedRule(text),
        (error: unknown) => {
          assert.ok(error instanceof Problem);
          assert.equal(error.code, "invalid_request");
          assert.equal(error.details.param, param);
          assert.match(error.message, /\.$/);
          return true;
        },
      );
    });
  }

  it("a rule that never matches has no occurrence, and fails fast", () => {
    const never = ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30"];
    for (const rrule of never) {
      const before = process.cpuUsage();
      assert.equal(parsedRule({ rrule }).nextAfter(FROM), null);
      // Processor time, because other load on the machine must not fail the test.
      assert.ok(process.cpuUsage(before).user < 2_000_000, rrule);
    }
    assert.equal(parsedRule({ cron: "0 0 30 2 *" }).nextAfter(FROM), null);
  });
});
