import assert from "node:assert/strict";
import { test } from "node:test";
import { newStep } from "./steps.ts";
import { endWords, namedIn, positionWords, stepSummary } from "./words.ts";

test("positions of steps count from one, and name the branch", () => {
  assert.equal(positionWords("0"), "step 1");
  assert.equal(positionWords("2.then.0"), "step 3, yes 1");
  assert.equal(positionWords("1.on_timeout.4.else.9"), "step 2, too late 5, no 10");
});

test("ends of runs are words: the service's own, a failure's title, else the code", () => {
  assert.equal(endWords("exit"), "Stopped by a step");
  assert.equal(endWords("landline"), "The number is a landline");
  assert.equal(endWords("some_new_reason"), "some new reason");
});

test("steps name their pool and topic, once the names are read", () => {
  const send = { ...newStep("send"), from: "pool_01m7gypdgne13tdcqqpmwh2jb1", body: "Hi" };
  assert.equal(namedIn(send), send.from);
  assert.equal(stepSummary(send, "Reminders"), "“Hi” from Reminders");
  assert.equal(stepSummary(send), "“Hi” from a sender pool");
  assert.equal(namedIn({ ...send, from: "+15005550100" }), null);
  const subscribe = { ...newStep("subscribe"), topicId: "top_1" };
  assert.equal(namedIn(subscribe), "top_1");
  assert.equal(stepSummary(subscribe, "Offers"), "Offers");
});
