import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { startKit } from "../../testing/kit.ts";
import { createJobsLane } from "./jobs-lane.ts";
import { defineTask, enqueue } from "./task.ts";

const HOUR_MS = 3_600_000;
const HERE = { shard: 0, accountId: null };

test("advance does each piece of work at its own time, in order, with what it leads to", async (t) => {
  const seen: { label: string; dueAt: number; now: number }[] = [];
  const step = defineTask({
    name: "test.step",
    payload: Type.Object({ label: Type.String(), due_at: Type.Number(), again: Type.Boolean() }),
    retryDelaysSeconds: [],
    timeoutMs: 5_000,
    async run(deps, payload) {
      seen.push({ label: payload.label, dueAt: payload.due_at, now: deps.clock.now() });
      if (payload.again) {
        const dueAt = deps.clock.now() + 2 * HOUR_MS;
        const next = { label: `${payload.label}+`, due_at: dueAt, again: false };
        await deps.db.tx((tx) => enqueue(deps, tx, HERE, step, next, dueAt));
      }
      return "done";
    },
  });
  const kit = await startKit(t, {}, { lanes: [createJobsLane([step])] });
  const start = kit.deps.clock.now();
  await kit.deps.db.tx(async (tx) => {
    for (const [label, hours, again] of [
      ["c", 5, false],
      ["a", 1, true],
      ["b", 2, false],
      ["late", 30, false],
    ] as const) {
      const dueAt = start + hours * HOUR_MS;
      await enqueue(kit.deps, tx, HERE, step, { label, due_at: dueAt, again }, dueAt);
    }
  });
  await kit.advance(24 * 3_600);
  assert.deepEqual(
    seen.map((one) => one.label),
    ["a", "b", "a+", "c"],
  );
  for (const one of seen) {
    assert.ok(one.now >= one.dueAt, `${one.label} ran ${one.dueAt - one.now} ms early`);
    assert.ok(one.now < one.dueAt + 60_000, `${one.label} ran ${one.now - one.dueAt} ms late`);
  }
  const moved = kit.deps.clock.now() - start;
  assert.ok(moved >= 24 * HOUR_MS && moved < 24 * HOUR_MS + 60_000);
});

test("a month in which nothing is due passes in one step, whatever is periodic", async (t) => {
  const kit = await startKit(t);
  const steps: (string | null)[] = [];
  kit.deps.notifications.subscribe("longwave_clock", (payload) => steps.push(payload));
  await kit.advance(30 * 86_400);
  assert.equal(steps.length, 1);
});
