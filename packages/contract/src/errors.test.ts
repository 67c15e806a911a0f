import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS, type ErrorCode, Problem } from "./errors.ts";

test("a problem says what to do, exactly once", () => {
  const { next } = ERRORS.session_required;
  assert.equal(new Problem("session_required", "Nobody.").message, `Nobody. ${next}`);
  for (const [code, { next: advice }] of Object.entries(ERRORS)) {
    assert.equal(new Problem(code as ErrorCode, advice).message, advice);
  }
});
