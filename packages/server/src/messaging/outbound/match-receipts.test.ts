import assert from "node:assert/strict";
import test from "node:test";
import { mayMatch } from "./match-receipts.ts";

const TEXT = { from_number: "+14155550100", to_number: "+14155552671" };

test("a receipt's numbers show whether it may belong to a message, in any spelling", () => {
  for (const [numbers, may] of [
    [undefined, true],
    [["", ""], true],
    [["14155552671", "14155550100"], true],
    [["14155550100", "14155552671"], true],
    [["+1 415 555 2671", ""], true],
    [["4155552671", "14155550100"], true],
    [["0014155552671", "14155550100"], true],
    [["04155552671", "12345"], true],
    // A short code, or our own number alone, says nothing about the phone.
    [["12345", "ACME"], true],
    [["14155550100", ""], true],
    [["14155552672", "14155550100"], false],
    [["4155552672", "ACME"], false],
    [["442071838750", "14155550100"], false],
  ] as const) {
    assert.equal(mayMatch(numbers, TEXT), may, JSON.stringify(numbers));
  }
});
