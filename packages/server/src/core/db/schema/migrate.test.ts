import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cloneDatabase, superuserOf } from "../../../../testing/cluster.ts";
import { until } from "../../../../testing/until.ts";
import { migrate, readMigrations } from "./migrate.ts";

const LOCK_WAIT_MS_MAX = 500;
const SPARE_MS = 1_000;

test("a migration waiting for a table lock lets other statements pass, then completes", async (t) => {
  const { connection, drop } = await cloneDatabase();
  const owner = await superuserOf(connection);
  const [holder, user] = [new pg.Client(owner), new pg.Client(owner)];
  t.after(async () => {
    await Promise.all([holder.end(), user.end()]);
    await drop();
  });
  await Promise.all([holder.connect(), user.connect()]);
  // A reader with a long transaction.
  await holder.query("begin; select 1 from accounts limit 1");
  const text = "alter table accounts add column is_new boolean";
  const next = { name: "9999_next.sql", text, checksum: "next" };
  const wanted = async () => [...(await readMigrations()), next];
  const said: string[] = [];
  const migrated = migrate(owner, (line) => said.push(line), null, wanted);
  await until(() => said.length > 0);
  await sleep(100);
  const askedAt = performance.now();
  await user.query("select 1 from accounts limit 1");
  assert.ok(performance.now() - askedAt < LOCK_WAIT_MS_MAX + SPARE_MS, "others waited too long");
  await until(() => said.some((line) => line.includes("waits for a table that is in use")));
  await holder.query("commit");
  await migrated;
  const { rows } = await user.query("select is_new from accounts limit 0");
  assert.deepEqual(rows, []);
});

test("a migration of several tables locks them in the order of messages", async (t) => {
  const { connection, drop } = await cloneDatabase();
  const owner = await superuserOf(connection);
  const [text, witness] = [new pg.Client(owner), new pg.Client(owner)];
  t.after(async () => {
    await Promise.all([text.end(), witness.end()]);
    await drop();
  });
  await Promise.all([text.connect(), witness.connect()]);
  const name = "9999_several.sql";
  const changes = [
    "alter table messages add column is_new boolean",
    "create index on events (shard, type)",
    "alter table account_counters add column is_new boolean",
  ];
  const wanted = async () => [
    ...(await readMigrations()),
    { name, text: changes.join(";\n"), checksum: "several" },
  ];
  // A message that has locked its account and is about to be inserted.
  await text.query("begin; select 1 from account_counters limit 1");
  const migrated = migrate(owner, () => {}, null, wanted);
  let held: string[] = [];
  await until(async () => {
    const { rows } = await witness.query<{ relation: string; granted: boolean }>(
      `select relation::regclass::text as relation, granted from pg_locks
        where mode = 'AccessExclusiveLock' and locktype = 'relation' and database = (select oid from pg_database where datname = current_database())`,
    );
    held = rows.filter(({ granted }) => granted).map(({ relation }) => relation);
    return rows.some(({ relation, granted }) => relation === "account_counters" && !granted);
  });
  assert.deepEqual(held, [], "a text that waits for one of these would wait for the migration");
  await text.query("select 1 from messages limit 1; select 1 from events limit 1; commit");
  await migrated;
  const { rows } = await witness.query("select 1 from schema_migrations where name = $1", [name]);
  assert.equal(rows.length, 1);
});
