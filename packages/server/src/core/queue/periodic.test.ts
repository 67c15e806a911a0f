import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startKit, startKitOn } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { composed, sql } from "../db/driver/sql-builder.ts";
import { createPeriodicLanes, type MissedPeriods, type PeriodicTask } from "./periodic.ts";

interface Counted extends PeriodicTask {
  /** Service time of each run. */
  readonly runs: number[];
}

function counted(everySeconds: number, missedPeriods: MissedPeriods): Counted {
  const runs: number[] = [];
  return {
    name: `test.${missedPeriods}`,
    everySeconds,
    missedPeriods,
    runs,
    run: async (deps) => {
      runs.push(deps.clock.now());
    },
  };
}

test("two workers run a periodic task once per period between them", async (t) => {
  const periods: number[] = [];
  const task: PeriodicTask = {
    name: "test.shared",
    everySeconds: 1,
    // Identify the run by its period, however late it begins.
    async run({ db }) {
      const due = sql`select due_at from periodic_tasks where name = ${"test.shared"}`;
      const [row] = await db.query<{ due_at: number }>(composed("test", due));
      periods.push(row?.due_at ?? 0);
    },
  };
  const lanes = createPeriodicLanes([task]);
  const kit = await startKit(t, {}, { lanes });
  await startKitOn(t, kit.connection, {}, { lanes });
  await until(() => periods.length >= 4);
  assert.equal(new Set(periods).size, periods.length, `periods ${periods}`);
});

test("periods passed by an advance collapse into one run, unless run_each is set", async (t) => {
  const once = counted(60, "collapse");
  const each = counted(600, "run_each");
  const env = { LONGWAVE_ROLES: "api" };
  const kit = await startKit(t, env, { lanes: createPeriodicLanes([once, each]) });
  // A minute that ends between two advances would get a run of its own.
  kit.stopClock();
  await kit.advance(0);
  const start = kit.deps.clock.now();
  await kit.advance(3_600);
  assert.equal(once.runs.length, 1);
  assert.ok((once.runs[0] ?? 0) >= start + 3_600_000);
  assert.equal(each.runs.length, 6);
  each.runs.forEach((ms, n) => {
    const dueAt = (Math.floor(start / 600_000) + 1 + n) * 600_000;
    assert.ok(ms >= dueAt && ms < dueAt + 60_000, `run ${n} was ${ms - dueAt} ms after its time`);
  });
  for (let n = 0; n < 3; n += 1) await kit.advance(60);
  assert.equal(once.runs.length, 4);
});

test("advance does not wait for upkeep, which still runs", async (t) => {
  let finish = () => {};
  let runs = 0;
  const upkeep: PeriodicTask = {
    name: "test.slow_upkeep",
    everySeconds: 60,
    missedPeriods: "upkeep",
    async run() {
      runs += 1;
      await new Promise<void>((resolve) => (finish = resolve));
    },
  };
  const kit = await startKit(t, {}, { lanes: createPeriodicLanes([upkeep]) });
  await until(async () => (await kit.rows("select name from periodic_tasks")).length === 1);
  await kit.advance(60);
  await until(() => runs === 1);
  finish();
});

test("a failed periodic task is retried soon, and stores the reason", async (t) => {
  let runs = 0;
  const task: PeriodicTask = {
    name: "test.failing",
    everySeconds: 86_400,
    async run() {
      runs += 1;
      if (runs === 1) throw new Error("not this time");
    },
  };
  const kit = await startKit(t, {}, { lanes: createPeriodicLanes([task]) });
  // The period is a day, so that none ends by itself meanwhile.
  kit.stopClock();
  await kit.advance(0);
  await kit.advance(86_400);
  assert.equal(runs, 1);
  const [row] = await kit.rows("select last_error from periodic_tasks");
  assert.equal(row.last_error, "not this time");
  await kit.advance(60);
  assert.equal(runs, 2);
  const [after] = await kit.rows("select last_error, leased_by from periodic_tasks");
  assert.deepEqual([after.last_error, after.leased_by], [null, null]);
});

test("a new task does not run before its first period ends", async (t) => {
  // Long enough that no period ends while the test runs.
  const task = counted(20 * 365 * 86_400, "collapse");
  await startKit(t, {}, { lanes: createPeriodicLanes([task]) });
  await sleep(50);
  assert.deepEqual(task.runs, []);
});
