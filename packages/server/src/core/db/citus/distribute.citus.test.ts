import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startClients } from "../../../../test/nodes/clients.ts";
import { makeCitusDatabase } from "../../../../testing/citus.ts";
import { nodesOf, testCluster, withAdmin } from "../../../../testing/cluster.ts";
import { endOf, startProgram } from "../../../../testing/program.ts";
import { temporaryFolder } from "../../../../testing/temporary-folder.ts";
import { until } from "../../../../testing/until.ts";
import { FUNCTIONS } from "../../../app/functions.ts";
import { migrate } from "../schema/migrate.ts";

const READY = /^Longwave is ready at (http:\S+)$/m;
const TEST_NUMBER = "+15005550100";
const SHARDS = "4";

/** An empty database on every node, or on the coordinator alone, for the length of the test. */
async function emptyDatabase(t: TestContext, name: string, isCitus: boolean) {
  const cluster = await testCluster();
  t.after(async () => {
    for (const node of nodesOf(cluster)) {
      await withAdmin(node, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    }
  });
  if (isCitus) await makeCitusDatabase(cluster, name);
  else await withAdmin(cluster, (admin) => admin.query(`create database ${name}`));
  const { host, port, user } = cluster.connection;
  const rows = async (text: string) =>
    (await withAdmin(cluster, (client) => client.query(text), name)).rows;
  const place = `host=${encodeURIComponent(host)}&port=${port}`;
  return { url: `postgres://${user}@/${name}?${place}`, rows };
}

/** Runs `main.js distribute` to its end. */
async function distributed(t: TestContext, url: string, ...args: string[]) {
  const program = startProgram(t, {
    args: ["distribute", ...args],
    env: { DATABASE_URL: url, LONGWAVE_DATA: await temporaryFolder(t), LONGWAVE_SHARDS: SHARDS },
  });
  const code = await endOf(program);
  return { code, out: program.stdout(), err: program.stderr() };
}

test("refuses to distribute an unfit database, unchanged, and says what to do", async (t) => {
  const plain = await emptyDatabase(t, `plain_${process.pid}`, false);
  const refusal = await distributed(t, plain.url);
  assert.equal(refusal.code, 1);
  assert.match(refusal.err, /this database has no Citus\. Run `create extension citus`/);
  await plain.rows("create extension citus");
  assert.match((await distributed(t, plain.url)).err, /does not know its coordinator/);
  const { port } = (await testCluster()).connection;
  await plain.rows(`select citus_set_coordinator_host('127.0.0.1', ${port})`);
  assert.match((await distributed(t, plain.url)).err, /Citus has no workers/);
});

test("dry run prints the statements, the command runs them once, and a shard moves under load", async (t) => {
  const { url, rows } = await emptyDatabase(t, `whole_${process.pid}`, true);
  const folder = await temporaryFolder(t);
  const env = { DATABASE_URL: url, LONGWAVE_DATA: folder, LONGWAVE_SHARDS: SHARDS, PORT: "0" };
  // The first start distributes a new installation of several shards.
  const first = startProgram(t, { env });
  const at = (await first.says(READY))[1] as string;
  assert.match(first.stderr(), /Distributed the tables over the workers of Citus/);
  const nodes = await rows(
    "select count(distinct nodeport)::int as n from citus_shards where table_name = 'messages'::regclass",
  );
  assert.deepEqual(nodes, [{ n: 2 }]);

  await t.test(
    "every function takes the shard first, and its worker runs it as a whole",
    async () => {
      const ours = await rows(
        `select p.proname as name, p.proargnames[1] = 'of_shard' and o.distribution_argument_index = 0 as is_distributed
         from pg_proc p join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
         left join pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid
        where p.pronamespace = current_schema()::regnamespace and p.prorettype <> 'trigger'::regtype`,
      );
      assert.deepEqual(
        ours.filter(({ is_distributed }) => !is_distributed),
        [],
      );
      const names = new Set(ours.map(({ name }) => name));
      assert.ok(FUNCTIONS.every(({ name }) => names.has(name)));
    },
  );

  await t.test("does nothing the second time, even with running processes", async () => {
    const again = await distributed(t, url, "--dry-run");
    assert.equal(again.code, 0, again.err);
    assert.match(again.out, /Everything is distributed already/);
  });

  await t.test("dry run prints missing statements, the command runs them", async () => {
    await rows("create table later (shard integer not null, id uuid, primary key (shard, id))");
    const dry = await distributed(t, url, "--dry-run");
    assert.match(dry.out, /create_distributed_table\('later', 'shard', colocate_with :=/);
    assert.match(dry.out, /1 statements would run\. Nothing was changed\./);
    const done = await distributed(t, url);
    assert.match(done.out, /Distributed: 1 statements ran/);
    assert.match((await distributed(t, url)).out, /Everything is distributed already/);
  });

  await t.test("builds an index of a later release on every worker", async () => {
    const index = "messages_by_customer_and_number";
    const [made] = await rows(`select pg_get_indexdef('${index}'::regclass) as text`);
    await rows(`drop index ${index}`);
    await rows(String(made?.["text"]));
    const isWhole = () =>
      rows(`select indisvalid from pg_index where indexrelid = '${index}'::regclass`);
    assert.deepEqual(await isWhole(), [{ indisvalid: false }]);
    await migrate({ connectionString: url });
    assert.deepEqual(await isWhole(), [{ indisvalid: true }]);
    const parts = await rows(
      `select success, result from run_command_on_shards('messages', $$
         select bool_and(i.indisvalid) and count(*) > 1 from pg_index i join pg_class c on c.oid = i.indexrelid
          where c.relname ~ 'by_customer_and_number' and i.indrelid in (
            select '%1$s'::regclass union all select inhrelid from pg_inherits where inhparent = '%1$s'::regclass) $$)`,
    );
    assert.deepEqual(
      parts.map(({ success, result }) => [success, result]),
      parts.map(() => [true, "t"]),
    );
    assert.equal(parts.length, Number(SHARDS));
  });

  await t.test(
    "a shard moves to the other worker under load: nothing is lost or doubled",
    async () => {
      const { test_key } = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8"));
      const clients = startClients([at], test_key, 4, TEST_NUMBER);
      t.after(() => clients.stop());
      const { acknowledged, refusals } = clients.met;
      await until(() => acknowledged.length > 50, 30_000);
      const [place] = await rows(
        `select s.shardid, s.nodeport, o.nodeport as other
         from accounts a
         join citus_shards s on s.table_name = 'messages'::regclass
          and s.shardid = get_shard_id_for_distribution_column('messages', a.shard)
         join pg_dist_node o on o.groupid <> 0 and o.nodeport <> s.nodeport`,
      );
      const move = (mode: string) =>
        rows(
          `select citus_move_shard_placement(${place.shardid}, '127.0.0.1', ${place.nodeport}, '127.0.0.1', ${place.other}, '${mode}')`,
        );
      // Unlogged tables have no replication: writes wait while the shard is copied.
      await assert.rejects(move("auto"), /cannot add relation .* to publication/);
      const startedAt = performance.now();
      await move("block_writes");
      t.diagnostic(`the shard moved in ${Math.round(performance.now() - startedAt)} ms`);
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 50, 30_000);
      await clients.stop();
      t.diagnostic(
        `${acknowledged.length} texts, the slowest ${Math.round(clients.met.slowestMs)} ms, other answers ${JSON.stringify([...refusals])}`,
      );
      const stored = await rows(
        "select body, count(*)::int as n from messages where direction = 'outbound' group by body",
      );
      const bodies = new Set(stored.map((row) => row.body));
      assert.deepEqual(
        acknowledged.filter(({ text }) => !bodies.has(text)),
        [],
      );
      assert.deepEqual(
        stored.filter((row) => row.n > 1),
        [],
      );
    },
  );
});
