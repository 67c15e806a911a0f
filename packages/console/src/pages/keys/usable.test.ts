import assert from "node:assert/strict";
import test from "node:test";
import { isUsable } from "./usable.ts";

test("a key is recommended until it is revoked or expires", () => {
  const now = Date.parse("2026-06-01T00:00:00.000Z");
  const key = { revoked_at: null, expires_at: null };
  assert.equal(isUsable(key, now), true);
  assert.equal(isUsable({ ...key, expires_at: "2026-06-02T00:00:00.000Z" }, now), true);
  assert.equal(isUsable({ ...key, expires_at: "2026-05-31T00:00:00.000Z" }, now), false);
  assert.equal(isUsable({ ...key, revoked_at: "2026-05-31T00:00:00.000Z" }, now), false);
});
