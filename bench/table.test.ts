import assert from "node:assert/strict";
import { test } from "node:test";
import type { Measurement } from "./define.ts";
import {
  checkFailuresOf,
  checksTableOf,
  failuresOf,
  type RowResult,
  ratiosOf,
  spreadOf,
  tableOf,
} from "./table.ts";

function rounds(...rates: number[]): Measurement[] {
  return rates.map((perSecond) => ({ perSecond, errors: 0, p50Ms: 1, p99Ms: 5 }));
}

function result(ours: Measurement[], other: Measurement[], more = {}): RowResult {
  const measure = async () => ({ perSecond: 0, errors: 0 });
  const row = { ours: { name: "ours", measure }, other: { name: "bare", measure }, floor: 0.6 };
  return { row: { ...row, ...more }, ours, other };
}

test("the spread has the median, minimum and maximum", () => {
  assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, low: 1, high: 3 });
  assert.deepEqual(spreadOf([4, 1, 2, 3]), { median: 2.5, low: 1, high: 4 });
});

test("ratios are taken round by round, so that a slow moment affects both", () => {
  const { median } = ratiosOf(result(rounds(70, 7, 71), rounds(100, 10, 100)));
  assert.equal(median, 0.7);
});

test("a ratio below its floor, an error and a long tail fail the run", () => {
  assert.deepEqual(failuresOf(result(rounds(61, 62, 63), rounds(100, 100, 100))), []);
  assert.match(failuresOf(result(rounds(59), rounds(100)))[0] ?? "", /0\.59 is below the floor/);
  const broken = [{ perSecond: 90, errors: 2 }];
  assert.match(failuresOf(result(broken, rounds(100)))[0] ?? "", /ours: 2 requests failed/);
  const slow = failuresOf(result(rounds(90), rounds(100), { p99MsMax: 4 }));
  assert.match(slow[0] ?? "", /p99 of 5\.0 ms is above 4 ms/);
  assert.equal(failuresOf(result([], [])).length, 1, "a row without measurements fails");
  const timed = { other: undefined, floor: undefined, p50MsMax: 0.5, p99MsMax: 5 };
  const late = failuresOf(result(rounds(200), [], timed));
  assert.deepEqual(late, ["ours: p50 of 1.0 ms is above 0.5 ms"]);
  assert.equal(failuresOf(result([], [], timed)).length, 2, "so does a row of latencies");
});

test("a row of latencies fails above its ceiling", () => {
  const slower = [{ perSecond: 1, errors: 0, p50Ms: 1.4 }];
  const limits = { by: "p50", floor: undefined, ceiling: 1.3 };
  const failures = failuresOf(result(slower, rounds(1), limits));
  assert.match(failures[0] ?? "", /1\.40 is above the ceiling of 1\.3/);
  assert.deepEqual(failuresOf(result(rounds(1), rounds(9), limits)), []);
});

test("a check that does not hold fails the run", () => {
  const check = { name: "memory", measured: "+30 %", limit: "±20 %", holds: false };
  assert.deepEqual(checkFailuresOf([check, { ...check, holds: true }]), [
    "memory: +30 % is not ±20 %",
  ]);
  assert.match(checksTableOf([check]), /\| memory \| \+30 % {4}\| ±20 % \|$/);
});

test("the table can be pasted into a page", () => {
  const lines = tableOf([result(rounds(65, 70), rounds(100, 100))]).split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[2] ?? "", /\| ours .*\| 0\.68 \(0\.65\.\.0\.70\) \| ≥ 0\.6 /);
});

test("the cost of a response is shown with its rate", () => {
  const cost = { nodeMicros: 164.4, postgresMicros: 130, walBytes: 2_150, indexEntries: 11.96 };
  const counted = rounds(1).map((round) => ({ ...round, cost }));
  const [, , line] = tableOf([result(counted, rounds(2))]).split("\n");
  assert.match(line ?? "", /164 µs Node, 130 µs PostgreSQL, 2\.1 KB of log, 12\.0 index entries/);
});
