import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "@longwave/contract";
import { countSegments, formatNational, normalizePhone, parseTextable } from "../src/index.ts";

test("segments and numbers parse as on the server", () => {
  for (const text of ["Hello", "Grüße 👋", "x".repeat(161), "€".repeat(90), "Привет".repeat(20)]) {
    assert.deepEqual(countSegments(text), contract.countSegments(text));
  }
  for (const phone of [
    "(415) 555-0100",
    "+1 500 555 0000",
    "876 555 0100",
    "12",
    "+44 20 7946 0000",
  ]) {
    assert.equal(normalizePhone(phone), contract.normalizePhone(phone));
    assert.deepEqual(parseTextable(phone), contract.parseTextable(phone));
  }
  assert.equal(formatNational("+14155550100"), "(415) 555-0100");
});
