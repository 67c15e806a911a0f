import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres } from "../../testing/external-postgres.ts";
import { freePort } from "../../testing/free-port.ts";
import { startReplicatedPostgres } from "../../testing/replicated-postgres.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { until } from "../../testing/until.ts";
import { openSmppStage } from "../kills/smpp-stage.ts";
import { type Acknowledged, startClients } from "./clients.ts";
import { assertNothingLostOrDoubled } from "./exactly-once.ts";

const BACK_MS_MAX = 10_000;
/** Delay until the standby is promoted. */
const UNPROMOTED_MS = 3_000;
const AFTERWARDS_MS = 8_000;
const NODES = 2;

const available = await findPostgres();
const skip = "missing" in available ? available.missing : false;

test("a promoted standby: back within 10 s, nothing lost or duplicated, no write to the old primary", {
  skip,
}, async (t) => {
  if ("missing" in available) return;
  const postgres = await startReplicatedPostgres(t, available.bin);
  await postgres.primary.query("postgres", "create database longwave");
  const env = {
    DATABASE_URL: postgres.url("longwave"),
    DATABASE_OWNER_URL: "",
    LONGWAVE_SECRET_KEY: "6b".repeat(32),
  };
  const rowsOf = (text: string, values: readonly unknown[] = []) =>
    postgres.primary.query("longwave", text, values);
  const stage = await openSmppStage(t, { window: 10, env, rows: rowsOf });
  const urls: string[] = [];
  const start = async () => {
    const port = await freePort();
    urls.push(`http://127.0.0.1:${port}`);
    return stage.start({ PORT: String(port), LONGWAVE_DATA: await temporaryFolder(t) });
  };
  const first = await start();
  for (let more = 1; more < NODES; more += 1) await start();
  const key = await stage.prepare(urls[0]);
  const clients = startClients(urls, key, 6);
  t.after(() => clients.stop());
  const { acknowledged } = clients.met;
  await until(() => acknowledged.length > 100, 30_000);

  await postgres.primary.kill();
  await sleep(UNPROMOTED_MS);
  const promotedAt = performance.now();
  await postgres.standby.query("postgres", "select pg_promote()");
  const isBack = (one: Acknowledged) => one.atMs > promotedAt;
  await until(() => acknowledged.some(isBack), BACK_MS_MAX);
  const backMs = (acknowledged.find(isBack)?.atMs ?? 0) - promotedAt;
  t.diagnostic(`the first message was accepted ${Math.round(backMs)} ms after the promotion`);
  // Waits until every node is ready.
  await until(async () => {
    const answers = await Promise.all(urls.map((url) => fetch(`${url}/readyz`).catch(() => null)));
    return answers.every((answer) => answer?.status === 200);
  }, BACK_MS_MAX);
  t.diagnostic(`every node was ready ${Math.round(performance.now() - promotedAt)} ms after it`);

  // The old primary restarts and accepts writes; neither running nodes nor a new one may write to it.
  await postgres.primary.start();
  const count = "select count(*)::int as texts, max(created_at) as latest from messages";
  const before = await rowsOf(count);
  first.child.kill("SIGTERM");
  const from = acknowledged.length;
  await sleep(AFTERWARDS_MS / 2);
  const again = await start();
  await sleep(AFTERWARDS_MS / 2);
  assert.doesNotMatch(again.stderr(), /On hold/);
  assert.ok(acknowledged.length > from, "sends continue");
  assert.deepEqual(await rowsOf(count), before, "the old primary was written to");
  await clients.stop();
  t.diagnostic(
    `${acknowledged.length} messages, the slowest ${Math.round(clients.met.slowestMs)} ms, refusals ${JSON.stringify([...clients.met.refusals])}`,
  );
  const [identity] = await postgres.standby.query(
    "longwave",
    "select held_reason from database_identity",
  );
  assert.deepEqual(identity, { held_reason: null }, "a failover does not set the restore guard");
  const rowsOfStandby = (text: string) => postgres.standby.query("longwave", text) as never;
  await assertNothingLostOrDoubled(rowsOfStandby, stage, acknowledged);
});
