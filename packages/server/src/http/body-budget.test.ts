import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import { createBodyBudget } from "./read-body.ts";

const refused = (take: () => void) => {
  try {
    take();
    return null;
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.details.headers?.["retry-after"], "1");
    return error.code;
  }
};

describe("the budget of bodies", () => {
  it("gives an account a quarter, and the process no more than all of it", () => {
    const budget = createBodyBudget(100);
    const first = budget.open("a");
    const second = budget.open("a");
    first.take(20);
    assert.equal(
      refused(() => second.take(6)),
      "rate_limited",
    );
    second.take(5);
    const operator = budget.open(null);
    operator.take(75);
    assert.equal(
      refused(() => budget.open("b").take(1)),
      "unavailable",
    );
    first.release();
    assert.equal(
      refused(() => budget.open("b").take(1)),
      null,
    );
    assert.equal(
      refused(() => second.take(20)),
      "unavailable",
    );
    operator.release();
    second.take(20);
    second.release();
    budget.open("a").take(25);
  });

  it("keeps the last eighth for small bodies, so that texts come through beside large ones", () => {
    const mib = 1024 * 1024;
    const budget = createBodyBudget(16 * mib);
    for (const account of ["a", "b", "c"]) budget.open(account).take(4 * mib);
    const large = budget.open("d");
    large.take(2 * mib);
    assert.equal(
      refused(() => large.take(1)),
      "unavailable",
    );
    assert.equal(
      refused(() => budget.open("e").take(64 * 1024 + 1)),
      "unavailable",
    );
    const small = budget.open("e");
    small.take(64 * 1024);
    // One that grows is no longer small.
    assert.equal(
      refused(() => small.take(1)),
      "unavailable",
    );
    for (let count = 1; count < 32; count += 1) budget.open("f").take(64 * 1024);
    assert.equal(
      refused(() => budget.open("g").take(1)),
      "unavailable",
    );
  });
});
