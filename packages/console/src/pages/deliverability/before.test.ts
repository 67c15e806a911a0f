import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, rateChangeOf, sumBefore } from "./before.ts";

test("the hours before the window are summed, without the window's own", () => {
  const row = (hour: string, sent: number) => ({
    ...{ hour, sent, delivered: sent - 1, failed: 1, pending: 0, delivery_rate: null },
  });
  const series = [
    row("2026-11-18T08:00:00.000Z", 5),
    row("2026-11-18T09:00:00.000Z", 3),
    row("2026-11-18T10:00:00.000Z", 90),
  ];
  const sums = sumBefore(series, "2026-11-18T10:00:00.000Z");
  assert.deepEqual(sums, { sent: 8, delivered: 6, failed: 2 });
});

test("counts change in percent, rates in points", () => {
  assert.equal(changeOf(112, 100), "+12 % vs. before");
  assert.equal(changeOf(50, 100), "-50 % vs. before");
  assert.equal(changeOf(292, 1), "1 before");
  assert.equal(changeOf(3, 0), "none before");
  const half = { delivered: 50, failed: 50 };
  assert.equal(rateChangeOf({ delivered: 99, failed: 1 }, half), "+49 points vs. before");
  assert.equal(rateChangeOf(half, { delivered: 503, failed: 497 }), "-0.3 points vs. before");
  assert.equal(rateChangeOf({ delivered: 0, failed: 0 }, half), null);
});
