import assert from "node:assert/strict";
import { test } from "node:test";
import { testCluster, withAdmin } from "../../testing/cluster.ts";
import {
  type FirstRows,
  fillWithExamples,
  makeFirstVersion,
  readFirstRows,
  readFrozen,
  readRows,
} from "../../testing/first-version.ts";
import { startKit, startKitOn } from "../../testing/kit.ts";
import { migratedSchemaText, schemaText } from "../../testing/schema-text.ts";
import { migrate, readMigrations } from "./migrate.ts";

test("migrations that are frozen never change, and new ones come after them", async () => {
  const { first, since } = readFrozen();
  const frozen = { ...first, ...since };
  const now = await readMigrations();
  for (const [name, checksum] of Object.entries(frozen)) {
    const found = now.find((migration) => migration.name === name);
    assert.ok(
      found,
      `${name} is frozen and gone: restore it, and write what it lacks into a new file.`,
    );
    assert.equal(
      found.checksum,
      checksum,
      `${name} is frozen: restore it, and write the change into a new file.`,
    );
  }
  const last =
    Object.keys(frozen)
      .toSorted((one, other) => (one < other ? -1 : 1))
      .at(-1) ?? "";
  const late = now.filter(({ name }) => !(name in frozen) && name < last);
  assert.deepEqual(late, [], `migrations go forward: number new ones after ${last}`);
});

test("a database of the first version, with data in it, is brought to today's", async (t) => {
  const cluster = await testCluster();
  const firstRows = readFirstRows() ?? (await rowsOfToday(t));
  const database = `upgrade_${process.pid}`;
  const connection = await makeFirstVersion(cluster, database, firstRows.tables);
  t.after(() =>
    withAdmin(cluster, (admin) => admin.query(`drop database if exists ${database} with (force)`)),
  );
  const before = await readRows(connection);
  for (const [table, rows] of Object.entries(firstRows.tables)) {
    assert.equal(before[table]?.length, rows.length, `${table} was loaded`);
  }
  await migrate(connection);

  await t.test("the schema is the same as that of a new one", async () => {
    assert.equal(await schemaText(connection), await migratedSchemaText(cluster));
  });

  await t.test("no row is lost", async () => {
    const after = await readRows(connection);
    for (const [table, rows] of Object.entries(firstRows.tables)) {
      // A table may be given up; then there is nothing to compare with.
      if (table in after) assert.equal(after[table]?.length, rows.length, table);
    }
    for (const table of ["accounts", "messages", "events", "ledger_entries", "audit_log"]) {
      assert.ok((after[table]?.length ?? 0) > 0, `${table} has rows`);
    }
  });

  await t.test("a server of today serves it, and does the work that was left", async () => {
    const kit = await startKitOn(t, connection);
    const { test: key, account } = firstRows.keys;
    const read = (path: string) => kit.request("GET", path, { key });
    assert.equal((await read("/v1/account")).body.id, account);
    const { body: messages } = await read("/v1/messages");
    assert.equal(messages.data[0]?.body, "From the first version");
    const sent = await kit.request("POST", "/v1/messages", {
      key,
      body: { to: "+15005550000", from: "+15005550100", body: "From today's" },
    });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    await kit.advance(2 * 3_600);
    assert.equal((await read(`/v1/messages/${sent.body.id}`)).body.status, "delivered");
    const waiting = await kit.rows(
      "select 1 from scheduled_messages where status = 'pending' and scheduled_at < $1",
      [new Date(kit.deps.clock.now())],
    );
    assert.deepEqual(waiting, []);
  });
});

/** As long as nothing is frozen, the first version is today's. */
async function rowsOfToday(t: Parameters<typeof startKit>[0]): Promise<FirstRows> {
  const kit = await startKit(t);
  const keys = await fillWithExamples(kit);
  return { keys, tables: await readRows(kit.connection) };
}
