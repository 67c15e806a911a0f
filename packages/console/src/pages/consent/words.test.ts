import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceWords } from "./words.ts";

test("sources of the service are words, and those of the account stay as given", () => {
  assert.equal(sourceWords("inbound_text"), "Text message");
  assert.equal(sourceWords("web_form at the fair"), "web_form at the fair");
  assert.equal(sourceWords("constructor"), "constructor");
});
