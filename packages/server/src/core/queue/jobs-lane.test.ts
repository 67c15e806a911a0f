import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Type } from "typebox";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { createJobsLane } from "./jobs-lane.ts";
import { defineTask, enqueue, type Task, type TaskOutcome } from "./task.ts";

const Label = Type.Object({ label: Type.String() });
type LabelTask = Task<typeof Label>;

const RETRIED_TWICE = { retryDelaysSeconds: [60, 600], timeoutMs: 5_000, payload: Label };

async function startWith(t: TestContext, task: LabelTask, env: Record<string, string> = {}) {
  return startKit(t, env, { lanes: [createJobsLane([task])] });
}

const ownerOf = (kit: Kit) => ({ shard: kit.account.shard, accountId: kit.account.id });

function add(kit: Kit, task: LabelTask, label: string, inMs = 0): Promise<void> {
  const { deps } = kit;
  return deps.db.tx((tx) =>
    enqueue(deps, tx, ownerOf(kit), task, { label }, deps.clock.now() + inMs),
  );
}

const jobsOf = (kit: Kit) => kit.rows("select * from jobs order by id");

test("a job enqueued in a failed transaction does not exist", async (t) => {
  const seen: string[] = [];
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.seen",
    run: async (_deps, payload) => {
      seen.push(payload.label);
      return "done";
    },
  });
  const kit = await startWith(t, task);
  await assert.rejects(
    kit.deps.db.tx(async (tx) => {
      await enqueue(kit.deps, tx, ownerOf(kit), task, { label: "undone" }, kit.deps.clock.now());
      throw new Error("no");
    }),
  );
  await add(kit, task, "kept");
  await until(() => seen.includes("kept"));
  await kit.advance(1);
  assert.deepEqual(seen, ["kept"]);
  assert.deepEqual(await jobsOf(kit), []);
});

test("an invalid payload is refused by enqueue, and given up when a worker finds it", async (t) => {
  const task = defineTask({ ...RETRIED_TWICE, name: "test.payload", run: async () => "done" });
  const kit = await startWith(t, task);
  const wrong = { label: 7 } as unknown as { label: string };
  await assert.rejects(
    kit.deps.db.tx((tx) => enqueue(kit.deps, tx, ownerOf(kit), task, wrong, 0)),
    /payload of test.payload/,
  );
  await add(kit, task, "later", 60_000);
  await kit.rows(`update jobs set payload = '{"label":7}'`);
  await kit.advance(60);
  const [job] = await jobsOf(kit);
  assert.match(job.last_error, /payload is not as test.payload declares/);
  assert.ok(job.failed_at);
});

test("a throw and a retry run again after the declared delays, and are then given up", async (t) => {
  const runs: { attempts: number; at: number }[] = [];
  const gaveUp: string[] = [];
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.failing",
    async run(deps, _payload, _signal, run): Promise<TaskOutcome> {
      runs.push({ attempts: run.attempts, at: deps.clock.now() });
      if (run.attempts === 0) throw new Error("thrown");
      return { retry: "asked for" };
    },
    async gaveUp(_deps, tx, payload, reason) {
      assert.equal(tx.isTransaction, true);
      gaveUp.push(`${payload.label}: ${reason}`);
    },
  });
  const kit = await startWith(t, task);
  kit.stopClock();
  await add(kit, task, "doomed");
  await kit.advance(3_600);
  assert.deepEqual(
    runs.map((run) => run.attempts),
    [0, 1, 2],
  );
  const waits = [1, 2].map((n) => ((runs[n]?.at ?? 0) - (runs[n - 1]?.at ?? 0)) / 1_000);
  assert.deepEqual(waits, [60, 600]);
  assert.deepEqual(gaveUp, ["doomed: asked for"]);
  const [job] = await jobsOf(kit);
  assert.equal(job.last_error, "asked for");
  assert.ok(job.failed_at);
  await kit.advance(31 * 86_400);
  assert.equal(runs.length, 3);
});

test("a failing gaveUp handler cannot keep the job alive", async (t) => {
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.hook",
    run: async (): Promise<TaskOutcome> => ({ giveUp: "no use" }),
    gaveUp: async () => {
      throw new Error("the hook failed");
    },
  });
  const kit = await startWith(t, task);
  await add(kit, task, "hooked");
  await kit.advance(1);
  const [job] = await jobsOf(kit);
  assert.equal(job.last_error, "no use");
  assert.ok(job.failed_at);
  assert.equal(job.leased_by, null);
});

test("a run past its timeout is aborted, abandoned, and retried", async (t) => {
  let signals = 0;
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.slow",
    timeoutMs: 50,
    run: (_deps, _payload, signal) =>
      new Promise<TaskOutcome>(() => {
        signal.addEventListener("abort", () => {
          signals += 1;
        });
      }),
  });
  const kit = await startWith(t, task);
  await add(kit, task, "slow");
  await until(async () => (await jobsOf(kit))[0]?.attempts === 1);
  assert.equal(signals, 1);
  assert.match((await jobsOf(kit))[0].last_error, /longer than 50 ms/);
});

test("a job starts without any NOTIFY", async (t) => {
  const seen: string[] = [];
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.unheard",
    run: async (_deps, payload) => {
      seen.push(payload.label);
      return "done";
    },
  });
  const kit = await startWith(t, task);
  await kit.rows(
    `insert into jobs (shard, id, task, payload, run_at, created_at) values ($1, $2, 'test.unheard', '{"label":"quiet"}', now(), now())`,
    [kit.account.shard, kit.deps.ids.make()],
  );
  await until(() => seen.length === 1, 5_000);
});

test("a task unknown to this version waits, and delays no other", async (t) => {
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.known",
    run: async () => "done" as const,
  });
  const kit = await startWith(t, task);
  await kit.rows(
    `insert into jobs (shard, id, task, payload, run_at, created_at) values ($1, $2, 'test.newer', '{}', now(), now())`,
    [kit.account.shard, kit.deps.ids.make()],
  );
  await add(kit, task, "known");
  await kit.advance(60);
  assert.deepEqual(
    (await jobsOf(kit)).map((job) => [job.task, job.leased_by, job.failed_at]),
    [["test.newer", null, null]],
  );
});

test("two workers never run one job twice, and share the work", async (t) => {
  const runs = new Map<string, number>();
  let running = 0;
  let most = 0;
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.shared",
    async run(deps, payload) {
      runs.set(payload.label, (runs.get(payload.label) ?? 0) + 1);
      running += 1;
      most = Math.max(most, running);
      await deps.clock.sleep(2);
      running -= 1;
      return "done";
    },
  });
  const kit = await startWith(t, task);
  await startKitOn(t, kit.connection, {}, { lanes: [createJobsLane([task])] });
  await kit.deps.db.tx(async (tx) => {
    for (let n = 0; n < 200; n += 1) {
      await enqueue(kit.deps, tx, ownerOf(kit), task, { label: `${n}` }, kit.deps.clock.now());
    }
  });
  await until(async () => (await jobsOf(kit)).length === 0);
  assert.equal(runs.size, 200);
  assert.deepEqual(
    [...runs.values()].filter((count) => count !== 1),
    [],
  );
  assert.ok(most > 1, "jobs ran side by side");
});

test("a slow job does not delay the next ones", async (t) => {
  let finish = () => {};
  const seen: string[] = [];
  const task = defineTask({
    ...RETRIED_TWICE,
    name: "test.uneven",
    async run(_deps, payload) {
      if (payload.label === "slow") await new Promise<void>((resolve) => (finish = resolve));
      seen.push(payload.label);
      return "done";
    },
  });
  const kit = await startWith(t, task);
  await add(kit, task, "slow");
  for (let n = 0; n < 20; n += 1) await add(kit, task, `quick ${n}`);
  await until(() => seen.length === 20);
  finish();
  await until(() => seen.includes("slow"));
});
