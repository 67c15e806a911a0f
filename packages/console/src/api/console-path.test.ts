import assert from "node:assert/strict";
import { test } from "node:test";
import { consolePath } from "./console-path.ts";

const ACCOUNT = "acct_1";
const pathOf = (path: string, mode: "test" | "live", method = "GET") =>
  consolePath(method, new URL(path, "http://console.test"), ACCOUNT, mode);

test("the page's mode is in the path of every API call", () => {
  assert.equal(pathOf("/v1/batches/bat_1", "live"), "/console/v1/acct_1/live/batches/bat_1");
  assert.equal(pathOf("/v1/events/wait", "test"), "/console/v1/acct_1/test/events/wait");
  assert.equal(pathOf("/console/v1/imports", "live"), "/console/v1/acct_1/live/imports");
  assert.equal(pathOf("/operator/v1/accounts", "live"), "/console/v1/operator/accounts");
});

test("live shows no simulated message", () => {
  assert.equal(
    pathOf("/v1/messages?limit=5", "live"),
    "/console/v1/acct_1/live/messages?limit=5&simulated=false",
  );
  assert.equal(pathOf("/v1/messages", "test"), "/console/v1/acct_1/test/messages");
  assert.equal(pathOf("/v1/messages", "live", "POST"), "/console/v1/acct_1/live/messages");
});

test("only lists are filtered", () => {
  assert.equal(pathOf("/v1/numbers", "live", "POST"), "/console/v1/acct_1/live/numbers");
});

test("lists with a mode filter are filtered by the page's mode, whatever the page asks for", () => {
  assert.equal(pathOf("/v1/numbers", "live"), "/console/v1/acct_1/live/numbers?mode=live");
  assert.equal(
    pathOf("/v1/automations?mode=live", "test"),
    "/console/v1/acct_1/test/automations?mode=test",
  );
  assert.equal(
    pathOf("/v1/numbers/available", "live"),
    "/console/v1/acct_1/live/numbers/available",
  );
});
