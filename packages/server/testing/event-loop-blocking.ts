import assert from "node:assert/strict";

/** What no request of any shape holds everybody else up for: docs/security.md. */
const HELD_MS_MAX = 50;
/** A machine that is busy may hold anybody up; what holds in one of so many attempts holds. */
const ATTEMPTS = 4;

/** The work leaves the event loop to others at least every 50 ms. */
export async function assertHoldsNobodyUp(work: () => Promise<void>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > HELD_MS_MAX; attempt += 1) {
    best = Math.min(best, await longestHoldMs(work));
  }
  assert.ok(best <= HELD_MS_MAX, `held for ${Math.round(best)} ms`);
}

/** The longest time that work kept everybody else waiting. */
async function longestHoldMs(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  const state: { isOver: boolean } = { isOver: false };
  let before = { wall: performance.now(), cpu: process.cpuUsage() };
  const watch = () => {
    const wall = performance.now();
    const used = process.cpuUsage(before.cpu);
    // Time in which the machine did something else is not ours.
    const held = Math.min(wall - before.wall, (used.user + used.system) / 1_000);
    longest = Math.max(longest, held);
    before = { wall, cpu: process.cpuUsage() };
    if (!state.isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await work();
  state.isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}
