import assert from "node:assert/strict";

/** Longest time that any request may block the event loop: docs/security.md. */
const BLOCKED_MS_MAX = 50;
/** Attempts on a busy machine; one within the limit suffices. */
const ATTEMPTS = 4;

/** Asserts that the work yields to the event loop at least every 50 ms. */
export async function assertHoldsNobodyUp(work: () => Promise<void>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > BLOCKED_MS_MAX; attempt += 1) {
    best = Math.min(best, await longestBlockMs(work));
  }
  assert.ok(best <= BLOCKED_MS_MAX, `blocked for ${Math.round(best)} ms`);
}

/** Longest time between two turns of the event loop during the work. */
async function longestBlockMs(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  const state: { isOver: boolean } = { isOver: false };
  let before = { wall: performance.now(), cpu: process.cpuUsage() };
  const watch = () => {
    const wall = performance.now();
    const used = process.cpuUsage(before.cpu);
    // Counts only processor time of this process, not time that the machine spent on others.
    const blocked = Math.min(wall - before.wall, (used.user + used.system) / 1_000);
    longest = Math.max(longest, blocked);
    before = { wall, cpu: process.cpuUsage() };
    if (!state.isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await work();
  state.isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}
