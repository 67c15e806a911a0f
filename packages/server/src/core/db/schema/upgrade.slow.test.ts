import assert from "node:assert/strict";
import { test } from "node:test";
import { testCluster, withAdmin } from "../../../../testing/cluster.ts";
import {
  firstVersionOfToday,
  makeFirstVersion,
  readFirstVersion,
  readRows,
} from "../../../../testing/first-version.ts";
import { startKit, startKitOn } from "../../../../testing/kit.ts";
import { migratedSchemaText, schemaText } from "../../../../testing/schema-text.ts";
import { migrate } from "./migrate.ts";

test("upgrades a database of the first version, with data", async (t) => {
  const cluster = await testCluster();
  const first = readFirstVersion() ?? (await firstVersionOfToday(await startKit(t)));
  const database = `upgrade_${process.pid}`;
  const connection = await makeFirstVersion(cluster, database, first);
  t.after(() =>
    withAdmin(cluster, (admin) => admin.query(`drop database if exists ${database} with (force)`)),
  );
  const before = await readRows(connection);
  for (const [table, rows] of Object.entries(first.tables)) {
    assert.equal(before[table]?.length, rows.length, `${table} was loaded`);
  }
  await migrate(connection);

  await t.test("the upgraded schema equals that of a new database", async () => {
    assert.equal(await schemaText(connection), await migratedSchemaText(cluster));
  });

  await t.test("no row is lost", async () => {
    const after = await readRows(connection);
    for (const [table, rows] of Object.entries(first.tables)) {
      // A dropped table has nothing to compare with.
      if (table in after) assert.equal(after[table]?.length, rows.length, table);
    }
    for (const table of ["accounts", "messages", "events", "ledger_entries", "audit_log"]) {
      assert.ok((after[table]?.length ?? 0) > 0, `${table} has rows`);
    }
  });

  await t.test(
    "a current server serves the upgraded database and finishes its due work",
    async () => {
      const kit = await startKitOn(t, connection);
      const { test: key, account } = first.keys;
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
    },
  );
});
