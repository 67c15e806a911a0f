import assert from "node:assert/strict";
import { test } from "node:test";
import { isBlank } from "./blank.ts";

test("a body without visible characters is blank", () => {
  const nothing = [
    "",
    " ",
    "\n\t",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\u200d\u2060",
    "\ufeff",
    "\u00ad",
    "\u202e",
  ];
  for (const text of [...nothing, "\u3164", nothing.join("")]) {
    assert.ok(isBlank(text), JSON.stringify(text));
  }
});

test("a body with a visible character is not blank", () => {
  for (const text of ["a", " .", "\u200b1\u200b", "👨‍👩‍👧", "\u2800", "‎א"]) {
    assert.ok(!isBlank(text), JSON.stringify(text));
  }
});
