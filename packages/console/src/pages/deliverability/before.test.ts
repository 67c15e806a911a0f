import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, rateChangeOf } from "./before.ts";

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
