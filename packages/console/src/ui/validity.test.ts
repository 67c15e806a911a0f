import assert from "node:assert/strict";
import test from "node:test";
import { validityWords } from "./validity.ts";

test("each objection of the browser has words that say what to enter", () => {
  const words = (validity: Partial<ValidityState>, more: object = {}) =>
    validityWords({ validity, type: "text", ...more });
  assert.equal(words({ valueMissing: true }), "Fill this in.");
  assert.equal(words({ valueMissing: true }, { type: "select-one" }), "Choose one.");
  assert.match(words({ typeMismatch: true }, { type: "email" }), /^Enter an email address/);
  assert.match(words({ typeMismatch: true }, { type: "url" }), /^Enter a web address/);
  assert.equal(words({ badInput: true }, { type: "number" }), "Enter a number.");
  assert.equal(words({ tooShort: true }, { minLength: 12 }), "Enter at least 12 characters.");
  assert.equal(words({ rangeUnderflow: true }, { type: "number", min: "1" }), "Enter 1 or more.");
  assert.equal(
    words({ rangeOverflow: true }, { type: "date", max: "2027-01-01" }),
    "Not after 2027-01-01.",
  );
});
