import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { testCluster, withAdmin } from "../../testing/cluster.ts";
import { freePort } from "../../testing/free-port.ts";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../testing/message-invariants.ts";
import { endOf } from "../../testing/program.ts";
import {
  buildRelease,
  buildWithMigration,
  LATER_MIGRATION,
  previousRelease,
} from "../../testing/releases.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { until } from "../../testing/until.ts";
import { openSmppStage } from "../kills/smpp-stage.ts";
import { startClients } from "./clients.ts";
import { assertNothingLostOrDoubled } from "./exactly-once.ts";

const SIDE_BY_SIDE_MS = 5_000;
const SLOWEST_MS_MAX = 5_000;
const previous = await previousRelease();
const skip = "missing" in previous ? previous.missing : false;

test("the previous and this release side by side through a migration, under load: no 5xx, nothing lost or duplicated", {
  skip,
}, async (t) => {
  if ("missing" in previous) return;
  const oldMain = await buildRelease(previous.commit, await temporaryFolder(t));
  const newMain = await buildWithMigration(
    await temporaryFolder(t),
    "9999_later.sql",
    LATER_MIGRATION,
  );

  const cluster = await testCluster();
  const database = `releases_${process.pid}`;
  const { host, port, user: superuser } = cluster.connection;
  const user = cluster.roles?.owner ?? superuser;
  await withAdmin(cluster, (admin) => admin.query(`create database ${database} owner ${user}`));
  t.after(() =>
    withAdmin(cluster, (admin) => admin.query(`drop database if exists ${database} with (force)`)),
  );
  const address = `host=${encodeURIComponent(host)}&port=${port}`;
  const env = {
    DATABASE_URL: `postgres://${user}@/${database}?${address}`,
    DATABASE_OWNER_URL: "",
    LONGWAVE_SECRET_KEY: "6e".repeat(32),
  };
  const pool = new pg.Pool({ ...cluster.connection, database, max: 1 });
  pool.on("error", () => {});
  t.after(() => pool.end());
  const rows = async (text: string, values: readonly unknown[] = []) =>
    (await pool.query(text, [...values])).rows;
  const stage = await openSmppStage(t, { window: 10, env, rows });
  const urls: string[] = [];
  const start = async (main: string) => {
    const own = await freePort();
    const program = await stage.start(
      { PORT: String(own), LONGWAVE_DATA: await temporaryFolder(t) },
      main,
    );
    urls.push(`http://127.0.0.1:${own}`);
    return program;
  };
  const first = await start(oldMain);
  const second = await start(oldMain);
  const key = await stage.prepare(urls[0]);
  const clients = startClients(urls, key, 6);
  t.after(() => clients.stop());
  const { acknowledged, refusals } = clients.met;
  const assertSending = async (state: string) => {
    const from = acknowledged.length;
    await sleep(SIDE_BY_SIDE_MS);
    assert.ok(acknowledged.length > from, `sends continue ${state}`);
  };
  await until(() => acknowledged.length > 100, 30_000);

  await start(newMain);
  const [migrated] = await rows("select 1 from schema_migrations where name = '9999_later.sql'");
  assert.ok(migrated, "the later release has migrated");
  await assertSending("with both releases");
  await start(newMain);
  first.child.kill("SIGTERM");
  assert.equal(await endOf(first), 0);
  await assertSending("after one old node has ended");
  // A rollback starts the previous release on the later schema.
  await start(oldMain);
  await assertSending("with the previous release on the new schema");
  second.child.kill("SIGTERM");
  assert.equal(await endOf(second), 0);
  await assertSending("with the later release and a rolled back node");
  await clients.stop();
  t.diagnostic(
    `${acknowledged.length} messages, the slowest ${Math.round(clients.met.slowestMs)} ms, other answers ${JSON.stringify([...refusals])}`,
  );
  assert.deepEqual(
    [...refusals.keys()].filter((status) => status >= 500),
    [],
    "responses of 500 and more",
  );
  assert.ok(clients.met.slowestMs < SLOWEST_MS_MAX, `a message took ${clients.met.slowestMs} ms`);
  await assertNothingLostOrDoubled(rows, stage, acknowledged);
  await assertMoneyAddsUp(rows);
  await assertMessagesWhole(rows);
});
