import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import { createBodyBudget } from "./read-body.ts";

describe("the budget of bodies", () => {
  it("gives an account a quarter, and the process no more than all of it", () => {
    const budget = createBodyBudget(100);
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
});
