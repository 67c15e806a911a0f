import assert from "node:assert/strict";
import { test } from "node:test";
import { sameOriginPath } from "./same-origin-path.ts";

test("the redirect after sign-in accepts own paths only", () => {
  assert.equal(
    sameOriginPath("/acct_1/test/messages?status=failed"),
    "/acct_1/test/messages?status=failed",
  );
  for (const next of [
    undefined,
    "",
    "//evil.example/x",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    " /x",
  ]) {
    assert.equal(sameOriginPath(next), "/", String(next));
  }
});
