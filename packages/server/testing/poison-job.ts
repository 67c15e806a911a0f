import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createJobsLane } from "../src/core/queue/jobs-lane.ts";
import { enqueue } from "../src/core/queue/task.ts";
import { type DeadlyTask, JOURNAL_TABLES, journalTask, journalTasks } from "./journal-tasks.ts";
import { type Kit, startKit } from "./kit.ts";
import { until } from "./until.ts";
import { spawnWorker } from "./worker-process.ts";

/** Of the heap: soon full, and still enough for a worker. */
const LITTLE_MEMORY = "--max-old-space-size=128";

/**
 * Ends the sessions of the application, the dead worker's among them: what that had sent would be done even so,
 * and could take the job once more.
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

/** A job that ends every worker that takes it is set aside after three; those beside it are done. */
export async function surviveJob(
  t: TestContext,
  task: DeadlyTask,
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
    // The dead worker's leases are over.
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
