import assert from "node:assert/strict";
import { test } from "node:test";
import { endWords, positionWords } from "./words.ts";

test("positions of steps count from one, and name the branch", () => {
  assert.equal(positionWords("0"), "step 1");
  assert.equal(positionWords("2.then.0"), "step 3, yes 1");
  assert.equal(positionWords("1.on_timeout.4.else.9"), "step 2, too late 5, no 10");
});

test("ends of runs are words: the service's own, a failure's title, else the code", () => {
  assert.equal(endWords("exit"), "Stopped by a step");
  assert.equal(endWords("landline"), "The number is a landline");
  assert.equal(endWords("some_new_reason"), "some new reason");
});
