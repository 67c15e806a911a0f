import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { standStill } from "../../../../testing/block-thread.ts";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import { until } from "../../../../testing/until.ts";
import { type Database, openDatabase } from "./database.ts";
import { CommitUnknown } from "./failures.ts";
import { statement } from "./statement.ts";

const STATEMENT_MS_MAX = 1_500;
/** Longer than the response timeout. */
const STOPPED_MS = 3_000;

const keepSlowly = statement(
  "test_limit_keep_slowly",
  `insert into verification_stops (shard, phone, stopped_at)
   select $1, $2, now() from pg_sleep(0.5)`,
);
const keep = statement(
  "test_limit_keep",
  "insert into verification_stops (shard, phone, stopped_at) values ($1, $2, now())",
);
/** A table of its own: on Citus a commit does not wait for triggers of other tables. */
const SLOW_COMMITS = `
  create table test_slow_commits (phone text primary key);
  create function test_commit_slowly() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.5); return null; end $$;
  create constraint trigger test_commit_slowly after insert on test_slow_commits
    deferrable initially deferred for each row execute function test_commit_slowly()`;
const keepAtCommit = statement(
  "test_limit_keep_at_commit",
  "insert into test_slow_commits (phone) values ($1)",
);
const whoRuns = statement("test_limit_who", "select pg_backend_pid() as pid");

interface Way {
  readonly name: string;
  readonly table: string;
  readonly phone: string;
  /** The process stops after PostgreSQL has reached this statement. */
  readonly query: string;
  run(db: Database): Promise<unknown>;
}

const WAYS: readonly Way[] = [
  {
    name: "a pipeline",
    table: "verification_stops",
    phone: "pipeline",
    query: "%pg_sleep(0.5)",
    run: (db) => db.execPipelined([{ statement: keepSlowly, values: [0, "pipeline"] }]),
  },
  {
    name: "the commit of a transaction",
    table: "test_slow_commits",
    phone: "commit",
    query: "commit",
    run: (db) => db.tx((tx) => tx.query(keepAtCommit, ["commit"])),
  },
  {
    name: "a statement",
    table: "verification_stops",
    phone: "statement",
    query: "%pg_sleep(0.5)",
    run: (db) => db.query(keepSlowly, [0, "statement"]),
  },
];

/** A database with a short response timeout. */
function openLimited(t: TestContext, kit: Kit): Database {
  const db = openDatabase({
    connection: kit.connection,
    statementTimeoutMs: STATEMENT_MS_MAX,
    lockTimeoutMs: STATEMENT_MS_MAX,
    isDistributed: kit.deps.db.isDistributed,
  });
  t.after(() => db.close());
  return db;
}

test("accepts a response that arrived while the process was stopped, despite the elapsed timeout", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  await kit.rows(SLOW_COMMITS);
  const db = openLimited(t, kit);
  for (const { name, table, phone, query, run } of WAYS) {
    await t.test(name, async () => {
      const done = run(db);
      const isRunning =
        "select 1 from pg_stat_activity where datname = current_database() and query like $1 and state = 'active'";
      await until(async () => (await kit.rows(isRunning, [query])).length > 0);
      standStill(STOPPED_MS);
      await done;
      const kept = await kit.rows(`select 1 from ${table} where phone = $1`, [phone]);
      assert.equal(kept.length, 1);
    });
  }
});

test("gives up on a silent database, with unknown outcome of the commit", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const db = openLimited(t, kit);
  const stopped: number[] = [];
  const stop = ([row]: readonly unknown[]) => {
    const { pid } = row as { pid: number };
    stopped.push(pid);
    process.kill(pid, "SIGSTOP");
  };
  const goOn = () => {
    for (const pid of stopped.splice(0)) process.kill(pid, "SIGCONT");
  };
  t.after(goOn);

  const where = { accountId: kit.account.id };
  const [rows = []] = await db.execPipelined([{ statement: whoRuns, values: [] }], where);
  stop(rows);
  await assert.rejects(
    db.execPipelined([{ statement: keep, values: [0, "flown"] }], where),
    CommitUnknown,
  );
  goOn();
  const committing = db.tx(async (tx) => {
    stop(await tx.query(whoRuns, []));
  });
  await assert.rejects(committing, CommitUnknown);
  goOn();
  assert.equal((await db.query(whoRuns, [])).length, 1, "other connections go on");
});
