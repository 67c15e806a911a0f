import assert from "node:assert/strict";
import { test } from "node:test";
import { ownPath } from "./own-path.ts";

test("after the sign-in only paths of our own are opened", () => {
  assert.equal(
    ownPath("/acct_1/test/messages?status=failed"),
    "/acct_1/test/messages?status=failed",
  );
  for (const next of [
    undefined,
    "",
    "//evil.example/x",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    " /x",
  ]) {
    assert.equal(ownPath(next), "/", String(next));
  }
});
