import assert from "node:assert/strict";
import test from "node:test";
import { ERRORS, FAILURES } from "@longwave/contract/tables";
import { SENDER_REASONS } from "../../server/src/network/numbers/sender-state.ts";
import { NOT_COPIED } from "../../server/src/surfaces/importer/not-copied.ts";
import { plainWords } from "../src/ui/plain-words.ts";

const API_WORDS = /\/v1\/|\b(?:GET|POST|PATCH|PUT|DELETE)\b|[a-z]_[a-z]|\w\.state\b/;

test("no sentence of the contract names a call or a field of the API", () => {
  const sentences = [
    ...Object.values(FAILURES).flatMap((each) => [each.title, each.explanation, each.action]),
    ...Object.values(ERRORS).flatMap((each) => [each.title, each.next]),
    ...SENDER_REASONS,
    ...NOT_COPIED,
  ];
  const found = sentences.map(plainWords).filter((sentence) => API_WORDS.test(sentence));
  assert.deepEqual(found, []);
  assert.ok(sentences.some((sentence) => API_WORDS.test(sentence)));
});

test("a landline is named in three words", () => {
  const { title, explanation, action } = FAILURES.landline;
  assert.equal(
    `Not delivered: ${plainWords(title)}. ${plainWords(explanation)} ${plainWords(action)}`,
    "Not delivered: landline. Landlines can't receive texts. Ask for a mobile number.",
  );
});

test("messages with values keep the values", () => {
  for (const [said, shown] of [
    [
      "This send would cross the account's monthly spend limit. Raise it with PATCH /v1/spend-limit, or wait until Dec 1.",
      "This send would cross the account's monthly spend limit. Raise it under Billing, or wait until Dec 1.",
    ],
    [
      "Fraud protection blocked this code (prefix_velocity). Nothing was sent or charged. GET /v1/verify/decisions shows what it saw.",
      "Fraud protection blocked this code (prefix velocity). Nothing was sent or charged. Fraud decisions shows the rules.",
    ],
    ["line_type takes one of: mobile.", "line_type takes one of: mobile."],
    ["No value for {{first_name}}.", "No value for {{first_name}}."],
    ["ada_l@example.com is in use.", "ada_l@example.com is in use."],
    ["https://example.com/a_b is not reachable.", "https://example.com/a_b is not reachable."],
    ["“first_name” has no value.", "“first_name” has no value."],
  ] as const) {
    assert.equal(plainWords(said), shown);
  }
});
