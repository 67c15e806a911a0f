import assert from "node:assert/strict";
import test from "node:test";
import { createStallDetector, STUCK_MS_MAX } from "./stall-detector.ts";

const lane = { name: "messages" };

function createFakeClock() {
  let nowMs = 0;
  const clock = {
    monotonic: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  return { stall: createStallDetector(clock), now: () => nowMs };
}

test("waiting for abandoned work ends soon after a lease's length", async () => {
  const { stall, now } = createFakeClock();
  do stall.note([{ lane, dueAt: 1 }]);
  while (await stall.wait());
  assert.ok(now() > STUCK_MS_MAX && now() < STUCK_MS_MAX + 100, `${now()} ms`);
});

test("waiting for another process that makes progress has no limit", async () => {
  const { stall, now } = createFakeClock();
  for (let step = 1; now() < 10 * STUCK_MS_MAX; step += 1) {
    stall.note([{ lane, dueAt: step }]);
    for (let waits = 0; waits < 600; waits += 1) assert.ok(await stall.wait());
  }
  const beganMs = now();
  stall.note([]);
  do stall.note([{ lane, dueAt: 7 }]);
  while (await stall.wait());
  assert.ok(now() - beganMs > STUCK_MS_MAX, "and then its time begins anew");
});
