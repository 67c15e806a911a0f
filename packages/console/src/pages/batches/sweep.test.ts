import assert from "node:assert/strict";
import { test } from "node:test";
import type { ControlledBatch } from "@longwave/sdk";
import { sweep } from "./sweep.ts";

/** A server that reaches `reach` recipients per call. */
function serverOf(queued: number, reach: number) {
  let left = queued;
  const reached = async (): Promise<ControlledBatch> => {
    const affected = Math.min(left, reach);
    left -= affected;
    const counts = { queued: left, paused: 0, failed: 0 };
    return { counts, affected, sweep_complete: left === 0 } as unknown as ControlledBatch;
  };
  return { pause: reached, resume: reached, cancel: reached, retry: reached };
}

test("an unfinished sweep repeats and reports how many recipients are left", async () => {
  const told: number[] = [];
  const done = await sweep("cancel", "bat_1", serverOf(5_000, 1_800), (left) => told.push(left));
  assert.deepEqual(told, [3_200, 1_400]);
  assert.equal(done.affected, 5_000);
});

test("a sweep that finishes in one call reports once", async () => {
  const told: number[] = [];
  const done = await sweep("pause", "bat_1", serverOf(3, 1_800), (left) => told.push(left));
  assert.deepEqual(told, []);
  assert.equal(done.affected, 3);
});
