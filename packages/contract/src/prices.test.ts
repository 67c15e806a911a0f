import assert from "node:assert/strict";
import { test } from "node:test";
import { microsToUsd, usdToMicros } from "./prices.ts";

test("amounts of at most six decimals are exact in both directions", () => {
  for (const [usd, micros] of [
    [0, 0],
    [0.000001, 1],
    [0.1, 100_000],
    [0.95, 950_000],
    [1.005, 1_005_000],
    [-4.35, -4_350_000],
    [999_999.999999, 999_999_999_999],
  ] as const) {
    assert.equal(usdToMicros(usd), micros);
    assert.equal(microsToUsd(micros), usd);
  }
});

test("an amount with more decimals, or beyond exact integers, is none", () => {
  for (const usd of [0.0000001, 1.0000005, 1e10, 1e300, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(usdToMicros(usd), null, String(usd));
  }
});
