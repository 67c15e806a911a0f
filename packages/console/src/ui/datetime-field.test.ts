import assert from "node:assert/strict";
import { test } from "node:test";
import { fromDatetimeField, toDatetimeField } from "./datetime-field.ts";

test("a time field holds local time, and the address UTC", () => {
  const field = "2026-07-01T09:30";
  const moment = fromDatetimeField(field);
  assert.equal(Date.parse(moment), new Date(2026, 6, 1, 9, 30).getTime());
  assert.match(moment, /Z$/);
  assert.equal(toDatetimeField(moment), field);
  assert.equal(toDatetimeField(String(Date.parse(moment))), field);
});

test("an invalid time becomes an empty string", () => {
  assert.equal(toDatetimeField("yesterday"), "");
  assert.equal(fromDatetimeField(""), "");
});
