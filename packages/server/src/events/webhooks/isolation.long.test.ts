import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../../testing/free-port.ts";
import {
  createHook,
  hang,
  LOCAL_TARGETS,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import { startKit, startKitOn } from "../../../testing/kit.ts";
import { latenessAt } from "../../../testing/webhook-latency.ts";

/** Several times the duration of an attempt at a hanging endpoint. */
const SECONDS = 20;
const P99_MS_MAX = 2_000;
const P50_MS_MAX = 300;

test("four hanging endpoints and a dead one of another account delay no others", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const receiver = await startHookReceiver(t);
  for (const path of ["/hang-1", "/hang-2", "/hang-3", "/hang-4"]) {
    receiver.behave(path, hang);
    await createHook(kit, receiver.url(path));
  }
  await createHook(kit, receiver.url("/healthy"));
  const other = await startKitOn(t, kit.connection, { ...LOCAL_TARGETS, LONGWAVE_ROLES: "api" });
  await createHook(other, `http://127.0.0.1:${await freePort()}/`);
  await createHook(other, receiver.url("/other"));
  const [own, others] = await Promise.all([
    latenessAt(kit, receiver, "/healthy", SECONDS),
    latenessAt(other, receiver, "/other", SECONDS),
  ]);
  for (const { p50, p99 } of [own, others]) {
    assert.ok(p99 < P99_MS_MAX, `p99 ${p99} ms`);
    assert.ok(p50 < P50_MS_MAX, `p50 ${p50} ms`);
  }
});
