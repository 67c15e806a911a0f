import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createJobsLane } from "../src/core/queue/jobs-lane.ts";
import { enqueue } from "../src/core/queue/task.ts";
import { JOURNAL_TABLES, journalTask, journalTasks, type PoisonTask } from "./journal-tasks.ts";
import { type Kit, startKit } from "./kit.ts";
import { until } from "./until.ts";
import { spawnWorker } from "./worker-process.ts";

/** Heap limit: fills up soon, and suffices for a worker. */
const LITTLE_MEMORY = "--max-old-space-size=128";

/**
 * Ends all database sessions of the application. Statements that the dead worker sent would still run, and
 * could claim the job again.
 */
async function endSessions(kit: Kit): Promise<void> {
  const ended = await kit.rows(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = $1 and pid <> pg_backend_pid()`,
    [kit.connection.user],
  );
  const pids = ended.map((row) => row.pid);
  const left = () => kit.rows("select 1 from pg_stat_activity where pid = any($1::int[])", [pids]);
  await until(async () => (await left()).length === 0);
}

/** A job that kills every worker is quarantined after three; other jobs run. */
export async function surviveJob(
  t: TestContext,
  task: PoisonTask,
  end: NodeJS.Signals,
): Promise<void> {
  const kit = await startKit(
    t,
    { LONGWAVE_ROLES: "api" },
    { lanes: [createJobsLane(journalTasks)] },
  );
  for (const text of JOURNAL_TABLES) await kit.rows(text);
  const { deps } = kit;
  const owner = { shard: kit.account.shard, accountId: kit.account.id };
  const now = deps.clock.now();
  await deps.db.tx(async (tx) => {
    await enqueue(deps, tx, owner, task, { label: "poison" }, now);
    for (const label of ["a", "b"]) {
      await enqueue(deps, tx, owner, journalTask, { label, waits: true }, now);
    }
  });
  const start = () => spawnWorker(t, kit.connection, undefined, [LITTLE_MEMORY]);
  const ends: unknown[] = [];
  for (let crash = 1; crash <= 3; crash += 1) {
    const worker = await start().catch(() => null);
    ends.push(worker ? await worker.ended : end);
    await endSessions(kit);
    // The dead worker's leases have expired.
    await kit.rows(
      "update jobs set lease_until = now() - interval '1 second' where lease_until is not null",
    );
  }
  assert.deepEqual(ends, [end, end, end]);
  await kit.rows("insert into gates values ('a'), ('b')");
  await start();
  const jobsOf = () => kit.rows("select * from jobs order by id");
  await until(async () => {
    const jobs = await jobsOf();
    return jobs.length === 1 && jobs[0].failed_at !== null;
  }, 20_000);
  const [poison] = await jobsOf();
  assert.equal(poison.task, task.name);
  assert.match(poison.last_error, /3 workers vanished/);
  const starts = await kit.rows(
    "select count(*)::int as n from journal where label = 'poison' and what = 'started'",
  );
  assert.equal(starts[0].n, 3);
  const ended = await kit.rows("select label from journal where what = 'ended' order by label");
  assert.deepEqual(
    ended.map((row) => row.label),
    ["a", "b"],
  );
}
