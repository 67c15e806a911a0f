import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  log,
  startHookReceiver,
} from "../../testing/hook-receiver.ts";
import { startKit } from "../../testing/kit.ts";
import { until } from "../../testing/until.ts";

test("an event arrives, signed, as GET /events shows it", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  await emit(kit);
  const [received] = await receiver.got("/in", 1);
  assert.ok(received);
  const answer = await fetch(`${kit.url}/v1/events`, {
    headers: { authorization: `Bearer ${kit.testKey}` },
  });
  const text = await answer.text();
  assert.ok(text.includes(received.text), `${text}\n${received.text}`);
  await until(async () => (await log(kit)).length === 1);
  const [entry] = await log(kit);
  assert.equal(entry.ok, true);
  assert.equal(entry.status_code, 200);
  assert.equal(entry.response_body, "said 200");
  assert.equal(entry.endpoint_id, hook.id);
});
