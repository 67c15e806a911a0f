import assert from "node:assert/strict";
import { test } from "node:test";
import { redactedJson } from "./contents.ts";

test("fields that grant access are redacted at any depth, others are kept", () => {
  const body = {
    to: "+14155550123",
    code: "123456",
    error: { code: "invalid_request" },
    nested: [{ auth_token: "t", webhook_secret: { a: 1 }, password: null, codec: "gsm7" }],
  };
  assert.deepEqual(JSON.parse(redactedJson(body)), {
    to: "+14155550123",
    code: "[redacted]",
    error: { code: "invalid_request" },
    nested: [
      { auth_token: "[redacted]", webhook_secret: "[redacted]", password: null, codec: "gsm7" },
    ],
  });
});

test("a body of any size and form is cut at 2,048 characters, and an exact fit is whole", () => {
  const bodies = [
    "x".repeat(5_000_000),
    { body: "\u0000".repeat(1_000) },
    Array.from({ length: 100_000 }, (_, n) => ({ to: `+1415555${n}` })),
    Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field_${n}`, n])),
    { ["n".repeat(5_000)]: 1 },
  ];
  for (const body of bodies) {
    const text = redactedJson(body);
    assert.equal(text.length, 2_049);
    assert.ok(text.endsWith("…"));
    assert.ok(!text.includes("\u0000"));
  }
  const exact = "y".repeat(2_046);
  assert.equal(redactedJson(exact), JSON.stringify(exact));
  assert.equal(redactedJson(undefined), "null");
  assert.equal(redactedJson({}), "{}");
});
