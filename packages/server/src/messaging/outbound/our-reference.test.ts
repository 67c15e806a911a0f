import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ourReferenceOf, parseOurReference } from "./our-reference.ts";

test("our-reference identifies its attempt, in upper or lower case; no other string parses as one", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 1, max: 9_999 }), (messageId, attempt) => {
      const reference = ourReferenceOf({ messageId, attempt });
      assert.ok(reference.length >= 34 && reference.length <= 37);
      assert.deepEqual(parseOurReference(reference), { messageId, attempt });
      assert.deepEqual(parseOurReference(reference.toUpperCase()), { messageId, attempt });
    }),
  );
  fc.assert(fc.property(fc.string(), (other) => assert.equal(parseOurReference(other), null)));
  for (const other of [null, undefined, "", `${"a".repeat(32)}-0`, `${"a".repeat(32)}-12345`]) {
    assert.equal(parseOurReference(other), null);
  }
});
