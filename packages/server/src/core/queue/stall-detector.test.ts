import assert from "node:assert/strict";
import test from "node:test";
import { createStallDetector, STUCK_MS_MAX } from "./stall-detector.ts";

const lane = { name: "messages" };

function standing() {
  let nowMs = 0;
  const clock = {
    monotonic: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  return { patience: createStallDetector(clock), now: () => nowMs };
}

test("work that nobody does is waited for as long as a lease lasts, and no longer", async () => {
  const { patience, now } = standing();
  do patience.note([{ lane, dueAt: 1 }]);
  while (await patience.wait());
  assert.ok(now() > STUCK_MS_MAX && now() < STUCK_MS_MAX + 100, `${now()} ms`);
});

test("another process that gets on is waited for however long the whole takes", async () => {
  const { patience, now } = standing();
  for (let step = 1; now() < 10 * STUCK_MS_MAX; step += 1) {
    patience.note([{ lane, dueAt: step }]);
    for (let waits = 0; waits < 600; waits += 1) assert.ok(await patience.wait());
  }
  const beganMs = now();
  patience.note([]);
  do patience.note([{ lane, dueAt: 7 }]);
  while (await patience.wait());
  assert.ok(now() - beganMs > STUCK_MS_MAX, "and then its time begins anew");
});
