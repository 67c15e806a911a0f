import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, momentOf } from "./moments.ts";

test("a moment in a field is the reader's own, and in the address everybody's", () => {
  const field = "2026-07-01T09:30";
  const moment = momentOf(field);
  assert.equal(Date.parse(moment), new Date(2026, 6, 1, 9, 30).getTime());
  assert.match(moment, /Z$/);
  assert.equal(fieldOf(moment), field);
  assert.equal(fieldOf(String(Date.parse(moment))), field);
});

test("what is no moment is none", () => {
  assert.equal(fieldOf("yesterday"), "");
  assert.equal(momentOf(""), "");
});
