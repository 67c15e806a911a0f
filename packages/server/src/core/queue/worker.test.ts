import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { Type } from "typebox";
import { startKit, startKitOn } from "../../../testing/kit.ts";
import { memoryLane } from "../../../testing/memory-lane.ts";
import { until } from "../../../testing/until.ts";
import { createJobsLane } from "./jobs-lane.ts";
import type { Lane } from "./lane.ts";
import { defineTask, enqueue, type TaskOutcome } from "./task.ts";
import { startWorker } from "./worker.ts";

const API_ONLY = { LONGWAVE_ROLES: "api" };
const HERE = { shard: 0, accountId: null };

test("a wake starts work at once, and a busy lane uses all its loops", async (t) => {
  const memory = memoryLane(3);
  const kit = await startKit(t, {}, { lanes: [memory.lane] });
  // Without polls, only the wake can start work.
  await kit.stopPolls();
  memory.add(5);
  kit.deps.wakes.wake("memory");
  await until(() => memory.state().running === 3);
  assert.equal(memory.state().items, 2);
  memory.finishAll();
  await until(() => memory.state().running === 2);
  memory.finishAll();
  await until(() => memory.state().running === 0);
  assert.deepEqual([memory.state().items, memory.state().most], [0, 3]);
});

test("a failing lane is retried, and others continue", async (t) => {
  let failures = 0;
  const failing: Lane = {
    name: "failing",
    runDue: async () => {
      failures += 1;
      throw new Error("not now");
    },
    nextDueAt: async () => 0,
  };
  const memory = memoryLane(1);
  const kit = await startKit(t, {}, { lanes: [failing, memory.lane] });
  await until(() => failures >= 2);
  memory.add(1);
  kit.deps.wakes.wake("memory");
  await until(() => memory.state().running === 1);
  memory.finishAll();
});

test("a worker recovers after the database has cut every connection", async (t) => {
  const seen: string[] = [];
  const task = defineTask({
    name: "test.after_cut",
    payload: Type.Object({ label: Type.String() }),
    retryDelaysSeconds: [1, 1, 1],
    timeoutMs: 5_000,
    async run(_deps, { label }) {
      seen.push(label);
      return "done";
    },
  });
  const kit = await startKit(t, {}, { lanes: [createJobsLane([task])] });
  const { deps } = kit;
  const add = (label: string) =>
    deps.db.tx((tx) => enqueue(deps, tx, HERE, task, { label }, deps.clock.now()));
  await add("before");
  await until(() => seen.includes("before"));
  const admin = new pg.Client(kit.connection);
  await admin.connect();
  await admin.query(
    // Connections of the server's role; an extension's workers run as another role.
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()",
  );
  await admin.end();
  await until(() =>
    add("after").then(
      () => true,
      () => false,
    ),
  );
  await until(() => seen.includes("after"));
  await until(async () => (await kit.rows("select id from jobs")).length === 0);
});

test("stopping waits a bounded time for a job, aborts it, and releases it to others", async (t) => {
  const seen: string[] = [];
  const task = defineTask({
    name: "test.endless",
    payload: Type.Object({}),
    retryDelaysSeconds: [60],
    timeoutMs: 60_000,
    async run(deps, _payload, signal): Promise<TaskOutcome> {
      seen.push("started");
      await deps.clock.sleep(60_000, signal);
      seen.push("told");
      signal.throwIfAborted();
      return "done";
    },
  });
  const kit = await startKit(t, API_ONLY, { lanes: [createJobsLane([task])] });
  const { deps } = kit;
  await deps.db.tx((tx) => enqueue(deps, tx, HERE, task, {}, deps.clock.now()));
  // The job itself ends after a minute: waiting for it would take that long.
  const worker = await startWorker(deps, { finishMsMax: 200, letGoMsMax: 50_000 });
  await until(() => seen.length === 1);
  const startedAt = performance.now();
  await worker.stop();
  assert.ok(performance.now() - startedAt < 50_000);
  assert.deepEqual(seen, ["started", "told"]);
  const [job] = await kit.rows("select attempts, crash_claims, leased_by from jobs");
  assert.deepEqual({ ...job }, { attempts: 0, crash_claims: 0, leased_by: null });
  assert.deepEqual(await kit.rows("select id from workers"), []);
});

test("work that falls due before the next poll starts at its time", async (t) => {
  let dueAt: number | null = null;
  const lateMs: number[] = [];
  const timersLateMs: number[] = [];
  const lane: Lane = {
    name: "soon",
    nextDueAt: async () => dueAt,
    async runDue(deps) {
      const now = deps.clock.now();
      if (dueAt === null || now < dueAt) return 0;
      lateMs.push(now - dueAt);
      dueAt = null;
      return 1;
    },
  };
  // The worker is another process than the one that enqueues the work.
  const worker = await startKit(t, {}, { lanes: [lane] });
  const api = await startKitOn(t, worker.connection, { LONGWAVE_ROLES: "api" }, { lanes: [] });
  for (const aheadMs of [200, 350, 500, 650, 800]) {
    const at = api.deps.clock.now() + aheadMs;
    dueAt = at;
    api.deps.wakes.wakeAt("soon", at);
    // Subtract the delay that a busy machine adds to any timer.
    api.deps.clock.after(aheadMs, () => timersLateMs.push(api.deps.clock.now() - at));
    // A later time does not replace an earlier one.
    api.deps.wakes.wakeAt("soon", at + 300);
    await until(() => dueAt === null && timersLateMs.length === lateMs.length);
  }
  const later = lateMs.map((late, index) => late - (timersLateMs[index] ?? 0));
  later.sort((one, other) => one - other);
  assert.ok((later[2] ?? 0) < 100, `it started ${later.join(", ")} ms later than a timer`);
});
