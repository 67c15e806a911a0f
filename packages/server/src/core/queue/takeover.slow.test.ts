import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { JOURNAL_TABLES, journalTask, journalTasks } from "../../../testing/journal-tasks.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { spawnWorker } from "../../../testing/worker-process.ts";
import { createJobsLane } from "./jobs-lane.ts";
import { enqueue } from "./task.ts";

const TAKEOVER_MS_MAX = 30_000;
const STARTS_WITHIN_MS = 20_000;

interface Entry {
  readonly label: string;
  readonly what: string;
  readonly pid: number;
  readonly at: number;
}

/** A server without a worker; the workers are separate processes. */
async function startJournal(t: TestContext) {
  const kit = await startKit(
    t,
    { LONGWAVE_ROLES: "api" },
    { lanes: [createJobsLane(journalTasks)] },
  );
  for (const text of JOURNAL_TABLES) await kit.rows(text);
  const owner = { shard: kit.account.shard, accountId: kit.account.id };
  return {
    kit,
    add: (label: string, waits: boolean) =>
      kit.deps.db.tx((tx) =>
        enqueue(kit.deps, tx, owner, journalTask, { label, waits }, kit.deps.clock.now()),
      ),
    openGate: (label: string) => kit.rows("insert into gates values ($1)", [label]),
    find: async (label: string, what: string, pid?: number) =>
      (await entries(kit)).filter(
        (entry) =>
          entry.label === label && entry.what === what && (pid === undefined || entry.pid === pid),
      ),
    jobs: () => kit.rows("select * from jobs"),
  };
}

const entries = async (kit: Kit): Promise<Entry[]> => kit.rows("select * from journal order by n");

describe("workers in separate processes", { concurrency: true }, () => {
  test("the work of a worker killed with -9 is taken over within 30 s", async (t) => {
    const { add, openGate, find, kit, jobs } = await startJournal(t);
    const labels = ["one", "two", "three"];
    for (const label of labels) await add(label, true);
    const first = await spawnWorker(t, kit.connection);
    for (const label of labels) {
      await until(
        async () => (await find(label, "started", first.pid)).length === 1,
        STARTS_WITHIN_MS,
      );
    }
    const second = await spawnWorker(t, kit.connection);
    first.signal("SIGKILL");
    assert.equal(await first.ended, "SIGKILL");
    const killedAt = performance.now();
    for (const label of labels) {
      await openGate(label);
      await until(
        async () => (await find(label, "ended", second.pid)).length === 1,
        TAKEOVER_MS_MAX,
      );
    }
    const tookMs = performance.now() - killedAt;
    assert.ok(tookMs <= TAKEOVER_MS_MAX, `it took ${tookMs} ms`);
    assert.ok(tookMs > 5_000, "a lease that was renewed moments ago is respected");
    await until(async () => (await jobs()).length === 0);
    for (const label of labels) {
      assert.equal((await find(label, "started")).length, 2);
      assert.equal((await find(label, "ended")).length, 1);
    }
  });

  test("a worker that was suspended past its lease can complete nothing", async (t) => {
    const { add, openGate, find, kit, jobs } = await startJournal(t);
    await add("held", true);
    const stale = await spawnWorker(t, kit.connection);
    await until(
      async () => (await find("held", "started", stale.pid)).length === 1,
      STARTS_WITHIN_MS,
    );
    const fresh = await spawnWorker(t, kit.connection);
    stale.signal("SIGSTOP");
    await until(
      async () => (await find("held", "started", fresh.pid)).length === 1,
      TAKEOVER_MS_MAX,
    );
    const [before] = await jobs();
    // Both now have the job, and both see the gate open: the stale worker is first.
    fresh.signal("SIGSTOP");
    await openGate("held");
    stale.signal("SIGCONT");
    // A job that comes after shows that the stale worker is running again and past the other one.
    await add("after", false);
    await until(
      async () => (await find("after", "ended", stale.pid)).length === 1,
      STARTS_WITHIN_MS,
    );
    const [after] = (await jobs()).filter((job) => job.id === before.id);
    assert.ok(after, "the stale worker did not delete the job");
    assert.equal(after.leased_by, before.leased_by);
    assert.equal(after.lease_epoch, before.lease_epoch);
    assert.deepEqual(await find("held", "ended"), []);
    fresh.signal("SIGCONT");
    await until(
      async () => (await find("held", "ended", fresh.pid)).length === 1,
      STARTS_WITHIN_MS,
    );
    await until(async () => (await jobs()).length === 0);
    assert.equal((await find("held", "ended")).length, 1);
  });

  test("a stopping worker finishes the work in progress and begins no more", async (t) => {
    const { add, openGate, find, kit, jobs } = await startJournal(t);
    await add("in hand", true);
    const worker = await spawnWorker(t, kit.connection);
    await until(async () => (await find("in hand", "started")).length === 1, STARTS_WITHIN_MS);
    await worker.stopping();
    await add("new", false);
    await openGate("in hand");
    assert.equal(await worker.ended, 0);
    assert.equal((await find("in hand", "ended")).length, 1);
    assert.deepEqual(await find("new", "started"), []);
    const left = await jobs();
    assert.equal(left.length, 1);
    assert.equal(left[0].leased_by, null);
    assert.deepEqual(await kit.rows("select id from workers"), []);
  });
});
