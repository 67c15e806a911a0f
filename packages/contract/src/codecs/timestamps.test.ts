import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EPOCH_MS_MAX, EPOCH_MS_MIN, formatTimestamp, parseTimestamp } from "./timestamps.ts";

const NOON = Date.UTC(2026, 10, 15, 12, 0, 0);

test("ISO 8601 with a zone, in its usual spellings", () => {
  for (const [text, ms] of [
    ["2026-11-15T12:00:00Z", NOON],
    ["2026-11-15T12:00:00.000Z", NOON],
    ["2026-11-15T12:00Z", NOON],
    ["2026-11-15t12:00:00z", NOON],
    ["2026-11-15T12:00:00.5Z", NOON + 500],
    ["2026-11-15T12:00:00.123Z", NOON + 123],
    ["2026-11-15T12:00:00,123Z", NOON + 123],
    ["2026-11-15T12:00:00.123456Z", NOON + 123],
    ["2026-11-15T12:00:00.999999999Z", NOON + 999],
    ["2026-11-15T12:00:00+00:00", NOON],
    ["2026-11-15T12:00:00-00:00", NOON],
    ["2026-11-15T04:00:00-08:00", NOON],
    ["2026-11-15T17:30:00+05:30", NOON],
    ["2026-11-15T17:30:00+0530", NOON],
    ["2026-11-16T00:15:00.250+12:15", NOON + 250],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
    ["1969-12-31T23:59:59.999Z", -1],
    ["9999-12-31T23:59:59.999Z", EPOCH_MS_MAX],
    ["0050-01-01T00:00:00Z", Date.parse("0050-01-01T00:00:00Z")],
  ] as const) {
    assert.equal(parseTimestamp(text), ms, text);
  }
});

test("epoch milliseconds, as a number and as digits", () => {
  for (const ms of [NOON, EPOCH_MS_MIN, EPOCH_MS_MAX]) {
    assert.equal(parseTimestamp(ms), ms);
    assert.equal(parseTimestamp(String(ms)), ms);
  }
});

test("invalid and ambiguous timestamps are refused", () => {
  for (const value of [
    "",
    " ",
    "now",
    "tomorrow",
    "2026-11-15", // no time
    "2026-11-15T12:00:00", // no zone
    "2026-11-15 12:00:00Z", // not ISO
    "2026-11-15T12:00:00 Z",
    "2026-11-15T12:00:00 02:00", // a + that a query string decoded to a space
    "2026-11-15T12Z",
    "2026-11-15T12:00:00.Z",
    "2026-11-15T12:00:00.1234567890Z",
    "2026-11-15T12:00:00PST",
    "2026-11-15T12:00:00+8",
    "2026-11-15T12:00:00+24:00",
    "2026-11-15T12:00:00+08:60",
    "2026-02-30T12:00:00Z",
    "2026-02-29T12:00:00Z",
    "1900-02-29T12:00:00Z",
    "2026-04-31T12:00:00Z",
    "2026-00-15T12:00:00Z",
    "2026-13-15T12:00:00Z",
    "2026-11-00T12:00:00Z",
    "2026-11-32T12:00:00Z",
    "2026-11-15T24:00:00Z",
    "2026-11-15T25:00:00Z",
    "2026-11-15T12:60:00Z",
    "2026-11-15T12:00:60Z",
    "10000-01-01T00:00:00Z",
    "+010000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00", // the year 10000 in UTC
    "0000-01-01T00:00:00+01:00", // before the year 0
    "26-11-15T12:00:00Z",
    "2026-W46-7T12:00:00Z",
    "Sun, 15 Nov 2026 12:00:00 GMT",
    " 2026-11-15T12:00:00Z",
    "2026-11-15T12:00:00Z\n",
    "1794744000", // seconds
    "-1794744000000",
    "+1794744000000",
    "01794744000000",
    "1794744000000.5",
    "1794744000000ms",
    "1.7947e12",
    "0x1a1e1b2c3d4e",
    "253402300800000",
    "9".repeat(1000),
    "１７９４７４４０００００００",
    1_794_744_000, // seconds
    0,
    -1,
    EPOCH_MS_MIN - 1,
    EPOCH_MS_MAX + 1,
    NOON + 0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    assert.equal(parseTimestamp(value), null, JSON.stringify(value));
  }
});

test("a formatted timestamp parses back, to the millisecond", () => {
  fc.assert(
    fc.property(fc.integer({ min: EPOCH_MS_MIN, max: EPOCH_MS_MAX }), (ms) => {
      const text = formatTimestamp(ms);
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(parseTimestamp(text), ms);
      assert.equal(parseTimestamp(ms), ms);
    }),
  );
});

test("the platform's parser agrees on every date that both accept", () => {
  const two = (min: number, max: number) =>
    fc.integer({ min, max }).map((n) => String(n).padStart(2, "0"));
  const date = fc.tuple(
    fc.integer({ min: 1000, max: 9998 }),
    two(0, 13),
    two(0, 32),
    two(0, 24),
    two(0, 60),
  );
  fc.assert(
    fc.property(date, ([year, month, day, hour, minute]) => {
      const text = `${year}-${month}-${day}T${hour}:${minute}:00Z`;
      const ours = parseTimestamp(text);
      // V8 rolls 30 February into March; a rolled date does not exist.
      const theirs = Date.parse(text);
      const exists =
        !Number.isNaN(theirs) && new Date(theirs).toISOString() === text.replace("Z", ".000Z");
      assert.equal(ours, exists ? theirs : null, text);
    }),
    { numRuns: 2_000 },
  );
});
