import assert from "node:assert/strict";
import { test } from "node:test";
import { createHook, emit, LOCAL_TARGETS, startHookReceiver } from "../../testing/hook-receiver.ts";
import { startKit, startKitOn } from "../../testing/kit.ts";
import { latenessAt } from "../../testing/lateness.ts";

const P99_MS_MAX = 2_000;

test("one account's flood does not starve another's events", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const receiver = await startHookReceiver(t);
  const flooding = await startKitOn(t, kit.connection, { ...LOCAL_TARGETS, LONGWAVE_ROLES: "api" });
  const slow = 100;
  for (const path of ["/flood-1", "/flood-2", "/flood-3"]) {
    receiver.behave(path, (response) => void setTimeout(() => response.end(), slow));
    await createHook(flooding, receiver.url(path));
  }
  await createHook(kit, receiver.url("/quiet"));
  for (let count = 0; count < 4; count += 1) await emit(flooding, 2_500);
  const { p50, p99 } = await latenessAt(kit, receiver, "/quiet", 3);
  assert.ok(p99 < P99_MS_MAX, `p50 ${p50} ms, p99 ${p99} ms`);
  assert.ok(receiver.at("/flood-1").length < 10_000, "the flood was over before it could do harm");
});
