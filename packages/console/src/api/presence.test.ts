import assert from "node:assert/strict";
import { test } from "node:test";
import { createPresence } from "./presence.ts";

test("a person counts as present for one minute after input or opening the page", () => {
  const presence = createPresence(1_000);
  assert.equal(presence.isHere(60_999), true);
  assert.equal(presence.isHere(61_000), false);
  presence.notice(3_600_000);
  assert.equal(presence.isHere(3_659_999), true);
  assert.equal(presence.isHere(3_660_000), false);
});
