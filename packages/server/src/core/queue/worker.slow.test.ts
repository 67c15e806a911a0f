import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { memoryLane } from "../../../testing/memory-lane.ts";
import { until } from "../../../testing/until.ts";

test("an idle lane costs one query a second, however many loops it has", async (t) => {
  const memory = memoryLane(8);
  const kit = await startKit(t, {}, { lanes: [memory.lane] });
  await until(() => memory.state().looks > 0);
  const before = memory.state().looks;
  const startedAt = performance.now();
  await kit.deps.clock.sleep(3_000);
  const looks = memory.state().looks - before;
  // A sleep may last longer than requested.
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.ok(looks <= seconds + 1, `${looks} questions in ${seconds} s`);
});
