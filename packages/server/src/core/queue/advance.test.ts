import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { type Kit, OPERATOR_TOKEN, startKit, startKitOn } from "../../../testing/kit.ts";
import { createJobsLane } from "./jobs-lane.ts";
import type { Lane } from "./lane.ts";
import { defineTask, enqueue } from "./task.ts";

const HOUR_MS = 3_600_000;
const API_ONLY = { LONGWAVE_ROLES: "api" };
const HERE = { shard: 0, accountId: null };
const ONCE = { retryDelaysSeconds: [], timeoutMs: 5_000 };

const advanceTo = (kit: Kit, seconds: number) =>
  kit.operator("POST", "/clock/advance", { seconds });

for (const roles of ["api,worker", "api"]) {
  test(`advance runs all work at its due time, in order, including the work that it causes (${roles})`, async (t) => {
    const seen: { label: string; dueAt: number; now: number }[] = [];
    const step = defineTask({
      ...ONCE,
      name: "test.step",
      payload: Type.Object({ label: Type.String(), due_at: Type.Number(), again: Type.Boolean() }),
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
    const kit = await startKit(t, { LONGWAVE_ROLES: roles }, { lanes: [createJobsLane([step])] });
    const start = kit.deps.clock.now();
    const hours = { c: 5, a: 1, b: 2, late: 30 };
    await kit.deps.db.tx(async (tx) => {
      for (const [label, hour] of Object.entries(hours)) {
        const dueAt = start + hour * HOUR_MS;
        const payload = { label, due_at: dueAt, again: label === "a" };
        await enqueue(kit.deps, tx, HERE, step, payload, dueAt);
      }
    });
    await kit.advance(24 * 3_600);
    assert.deepEqual(
      seen.map((one) => one.label),
      ["a", "b", "a+", "c"],
    );
    for (const one of seen) {
      assert.ok(one.now >= one.dueAt, `${one.label} ran ${one.dueAt - one.now} ms early`);
      assert.ok(one.now < one.dueAt + HOUR_MS, `${one.label} ran ${one.now - one.dueAt} ms late`);
    }
    const moved = kit.deps.clock.now() - start;
    assert.ok(moved >= 24 * HOUR_MS && moved < 25 * HOUR_MS, `it moved ${moved} ms`);
    await kit.advance(6 * 3_600);
    assert.equal(seen.at(-1)?.label, "late");
  });
}

test("a month without due work passes in one step, periodic tasks included", async (t) => {
  const kit = await startKit(t);
  await kit.advance(0);
  const steps: (string | null)[] = [];
  kit.deps.notifications.subscribe("longwave_clock", (payload) => steps.push(payload));
  await kit.advance(30 * 86_400);
  assert.equal(steps.length, 1);
});

test("advance waits for work that another process has claimed", async (t) => {
  let finish = () => {};
  let isStarted = () => {};
  const started = new Promise<void>((resolve) => (isStarted = resolve));
  const task = defineTask({
    ...ONCE,
    name: "test.elsewhere",
    payload: Type.Object({}),
    async run() {
      isStarted();
      await new Promise<void>((resolve) => (finish = resolve));
      return "done";
    },
  });
  const lanes = [createJobsLane([task])];
  const kit = await startKit(t, API_ONLY, { lanes });
  await startKitOn(t, kit.connection, {}, { lanes });
  const { deps } = kit;
  await deps.db.tx((tx) => enqueue(deps, tx, HERE, task, {}, deps.clock.now()));
  await started;
  let isDone = false;
  const advanced = kit.advance(60).then(() => {
    isDone = true;
  });
  await deps.clock.sleep(300);
  assert.equal(isDone, false);
  finish();
  await advanced;
  assert.deepEqual(await kit.rows("select id from jobs"), []);
});

test("concurrent advances run one after the other: each moves the clock by its own seconds", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const other = await startKitOn(t, kit.connection, API_ONLY);
  const start = kit.deps.clock.now();
  await Promise.all([kit.advance(100), other.advance(1_000), kit.advance(10_000)]);
  const movedSeconds = (kit.deps.clock.now() - start) / 1_000;
  assert.ok(movedSeconds >= 11_100 && movedSeconds < 11_200, `it moved ${movedSeconds} s`);
});

test("when advance answers, every process has the new time", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const other = await startKitOn(t, kit.connection, API_ONLY);
  for (let n = 0; n < 10; n += 1) {
    await kit.advance(3_600);
    const apartMs = Math.abs(kit.deps.clock.now() - other.deps.clock.now());
    assert.ok(apartMs < 1_000, `the clocks are ${apartMs} ms apart`);
  }
  const late = await startKitOn(t, kit.connection, API_ONLY);
  assert.ok(Math.abs(kit.deps.clock.now() - late.deps.clock.now()) < 1_000);
});

test("a lane that keeps failing ends the advance with a clear answer", async (t) => {
  let dueAt: number | null = null;
  const broken: Lane = {
    name: "broken",
    runDue: async () => {
      throw new Error("this lane is broken");
    },
    nextDueAt: async () => dueAt,
  };
  const kit = await startKit(t, API_ONLY, { lanes: [broken] });
  dueAt = kit.deps.clock.now();
  const answer = await advanceTo(kit, 60);
  assert.equal(answer.status, 503);
  assert.match(answer.body.error.message, /lane broken keeps failing/);
  dueAt = null;
  assert.equal((await advanceTo(kit, 0)).status, 200);
});

test("without the test clock advance is refused", async (t) => {
  const kit = await startKit(t, { LONGWAVE_TEST_CLOCK: "0" });
  assert.equal((await advanceTo(kit, 1)).status, 404);
  assert.equal((await kit.operator("GET", "/clock")).status, 404);
});

test("the clock is read, moved, and never moves back", async (t) => {
  const kit = await startKit(t);
  const before = await kit.operator("GET", "/clock");
  const moved = await advanceTo(kit, 90);
  assert.equal(moved.status, 200);
  const seconds = (Date.parse(moved.body.now) - Date.parse(before.body.now)) / 1_000;
  assert.ok(seconds >= 90 && seconds < 150);
  assert.equal((await advanceTo(kit, -1)).status, 400);
});

test("two concurrent advances with one Idempotency-Key move the clock once", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const start = kit.deps.clock.now();
  const headers = { "idempotency-key": "once" };
  const advance = () =>
    kit.request("POST", "/operator/v1/clock/advance", {
      key: OPERATOR_TOKEN,
      body: { seconds: 3_600 },
      headers,
    });
  const answers = await Promise.all(Array.from({ length: 4 }, advance));
  const moved = kit.deps.clock.now() - start;
  assert.ok(moved >= HOUR_MS && moved < 2 * HOUR_MS, `it moved ${moved} ms`);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 200],
  );
  const replayed = answers.filter((answer) => answer.headers.has("idempotent-replayed"));
  assert.equal(replayed.length, 3);
});

test("advance waits for claimed work even when its due row is already gone", async (t) => {
  const done: string[] = [];
  let first: number | null = null;
  let second: number | null = null;
  // Removes its due row before the work is done, as dispatch does, and causes work in another lane.
  const taking: Lane = {
    name: "taking",
    nextDueAt: async () => first,
    async runDue(deps) {
      if (first === null || first > deps.clock.now()) return 0;
      first = null;
      await deps.clock.sleep(200);
      second = deps.clock.now();
      done.push("first");
      return 1;
    },
  };
  const following: Lane = {
    name: "following",
    nextDueAt: async () => second,
    async runDue() {
      if (second === null) return 0;
      second = null;
      done.push("second");
      return 1;
    },
  };
  const kit = await startKit(t, {}, { lanes: [following, taking] });
  for (let times = 1; times <= 3; times += 1) {
    first = kit.deps.clock.now() + 40;
    // A worker's loop may have claimed it by now; otherwise the walk does.
    if (times === 2) await kit.deps.clock.sleep(60);
    kit.deps.wakes.wake("taking");
    await kit.advance(1);
    assert.deepEqual(done.splice(0), ["first", "second"], `time ${times}`);
    assert.deepEqual([first, second], [null, null]);
  }
});
