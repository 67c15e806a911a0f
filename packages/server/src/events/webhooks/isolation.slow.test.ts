import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import { startKit, startKitOn } from "../../../testing/kit.ts";
import { watchRoundTrips } from "../../../testing/round-trips.ts";
import { latenessAt } from "../../../testing/webhook-latency.ts";

const FLOODED = ["/flood-1", "/flood-2", "/flood-3"];
const EVENTS = 10_000;
const P99_MS_MAX = 2_000;
/** The bound is for an idle machine: a busy one may add this many of its own round trips. */
const ROUND_TRIPS = 50;
/** Part of the flood that may overtake: the order of claims does not depend on the machine. */
const OVERTAKEN_PART_MAX = 1 / 20;

test("one account's flood does not starve another's events", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const receiver = await startHookReceiver(t);
  const flooding = await startKitOn(t, kit.connection, { ...LOCAL_TARGETS, LONGWAVE_ROLES: "api" });
  const slow = 100;
  for (const path of FLOODED) {
    receiver.behave(path, (response) => void setTimeout(() => response.end(), slow));
    await createHook(flooding, receiver.url(path));
  }
  await createHook(kit, receiver.url("/quiet"));
  for (let count = 0; count < 4; count += 1) await emit(flooding, EVENTS / 4);
  const roundTripMs = watchRoundTrips(kit);
  const { p50, p99, overtakenP99 } = await latenessAt(kit, receiver, "/quiet", 3, FLOODED);
  t.diagnostic(`p50 ${p50} ms, p99 ${p99} ms, overtaken by ${overtakenP99}`);
  const allowedMs = P99_MS_MAX + ROUND_TRIPS * (await roundTripMs());
  assert.ok(p99 < allowedMs, `p50 ${p50} ms, p99 ${p99} ms, ${allowedMs} allowed`);
  const most = FLOODED.length * EVENTS * OVERTAKEN_PART_MAX;
  assert.ok(overtakenP99 < most, `overtaken by ${overtakenP99}`);
  assert.ok(receiver.at("/flood-1").length < EVENTS, "the flood was over before it could do harm");
});
