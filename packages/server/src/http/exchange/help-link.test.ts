import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";

test("every error links to the page of its code", async (t) => {
  const kit = await startKit(t);
  for (const [method, path, code] of [
    ["GET", "/v1/messages/msg_nothing", "not_found"],
    ["GET", "/v1/messages?limit=0", "invalid_request"],
    ["GET", "/v1/contacts/import", "method_not_allowed"],
    ["GET", "/nowhere", "not_found"],
  ] as const) {
    const answer = await kit.request(method, path);
    assert.equal(answer.body.error.code, code, path);
    assert.equal(answer.headers.get("link"), `</docs/errors/${code}>; rel="help"`);
  }
  const ok = await kit.request("GET", "/v1/messages");
  assert.equal(ok.headers.get("link"), null);
});

test("the link is absolute where the server knows its address", async (t) => {
  const kit = await startKit(t, { LONGWAVE_PUBLIC_URL: "https://sms.example.com" });
  const { headers } = await kit.request("GET", "/v1/messages/msg_nothing");
  assert.equal(headers.get("link"), '<https://sms.example.com/docs/errors/not_found>; rel="help"');
});
