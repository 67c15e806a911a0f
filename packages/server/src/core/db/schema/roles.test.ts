import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { ownerOf } from "../../../../testing/cluster.ts";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import { sqlStateOf } from "../driver/failures.ts";
import { maintainPartitions } from "./partitions.ts";
import { APPEND_ONLY_TABLES, grantApplication } from "./roles.ts";

const NOT_ALLOWED = "42501";
const DAY_MS = 86_400_000;

/** Result of a query on the application's own connection: rows, or the SQLSTATE of the refusal. */
async function asApplication(kit: Kit, text: string): Promise<unknown> {
  const client = new pg.Client(kit.connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } catch (error) {
    return sqlStateOf(error);
  } finally {
    await client.end();
  }
}

test("the application is neither superuser nor owner and cannot create tables", async (t) => {
  const kit = await startKit(t);
  const [role] = await kit.deps.db.query<Record<string, unknown>>(
    {
      name: "test_role",
      text: "select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user",
    },
    [],
  );
  assert.deepEqual(Object.values(role ?? {}), [false, false, false, false]);
  const owned = await asApplication(
    kit,
    "select relname from pg_class where relowner = current_user::regrole",
  );
  assert.deepEqual(owned, []);
  for (const text of [
    "create table more (id int)",
    "alter table messages add column more int",
    "drop table messages",
    "truncate messages",
    "create function f() returns int language sql as 'select 1'",
    "alter table events disable trigger all",
    "update schema_migrations set checksum = ''",
    "set role longwave_owner",
    "copy messages to program 'true'",
  ]) {
    assert.equal(await asApplication(kit, text), NOT_ALLOWED, text);
  }
});

test("the application can insert into append-only tables, but not change them or their partitions", async (t) => {
  const kit = await startKit(t);
  const later = kit.deps.clock.now() + 200 * DAY_MS;
  const clock = { ...kit.deps.clock, now: () => later };
  // Future partitions, made after the grants.
  await kit.deps.asOwner((db) => maintainPartitions({ ...kit.deps, db, clock }));
  for (const table of APPEND_ONLY_TABLES) {
    const partitions = await kit.rows(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass",
      [table],
    );
    assert.ok(partitions.length > 3 || table === "consent_ledger", table);
    for (const name of [table, ...partitions.map((partition) => partition.name)]) {
      for (const text of [
        `update ${name} set created_at = created_at`,
        `delete from ${name}`,
        `truncate ${name}`,
        `select 1 from ${name} where shard = 0 for update`,
      ]) {
        assert.equal(await asApplication(kit, text), NOT_ALLOWED, text);
      }
    }
    assert.deepEqual(await asApplication(kit, `select 1 from ${table} limit 0`), []);
  }
});

test("a table of a later migration gets its grants", async (t) => {
  const kit = await startKit(t);
  const owner = new pg.Client(await ownerOf(kit.connection));
  await owner.connect();
  try {
    await owner.query("create table later (id int)");
    assert.equal(await asApplication(kit, "select * from later"), NOT_ALLOWED);
    await grantApplication(owner, String(kit.connection.user));
  } finally {
    await owner.end();
  }
  assert.deepEqual(await asApplication(kit, "insert into later values (1) returning id"), [
    { id: 1 },
  ]);
  assert.equal(await asApplication(kit, "delete from events"), NOT_ALLOWED);
});
