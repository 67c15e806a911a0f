import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import pg from "pg";
import { toApiId } from "../../src/core/platform/ids.ts";
import { ownerOf } from "../../testing/cluster.ts";
import { LOCAL_TARGETS } from "../../testing/hook-receiver.ts";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { watchHolder } from "../../testing/lock-waits.ts";
import { startTwilio, TWILIO_LOGIN } from "../../testing/mock-providers.ts";
import { until } from "../../testing/until.ts";
import { settle } from "./batch-under-kills.ts";
import { type KillStage, killHard, openStage } from "./stage.ts";

const NUMBERS = 130;
/** Longer than the heartbeat timeout of an import. */
const SILENT_SECONDS = 120;
const WAIT_MS_MAX = 30_000;
const PORTED = "+14255569999";
const HOOK = "https://a.example.com/in";

const phone = (index: number) => `+1206556${String(index).padStart(4, "0")}`;

test("kill -9 while an account is read, and during the commits of an import and a port: everything once", async (t) => {
  const numbers = Array.from({ length: NUMBERS }, (_, index) => ({ phone: phone(index) }));
  const phones = numbers.map((number) => number.phone);
  const services = [{ id: "MG1", name: "All", phones, url: HOOK }];
  const mock = await startTwilio(t, { numbers, services }, 50);
  const env = { ...LOCAL_TARGETS, LONGWAVE_TEST_CLOCK: "1", LONGWAVE_IMPORT_TWILIO_URL: mock.url };
  const stage = await openStage(t, { window: 1, env });
  let program = await stage.start();
  const key = await stage.prepare();
  const port = await scheduledPort(stage);
  const begin = async () => {
    const started = await call(stage, key, "POST", "/console/v1/imports", TWILIO_LOGIN);
    assert.equal(started.status, 202, JSON.stringify(started.body));
    return String(started.body.id);
  };

  // Killed while reading: nothing is created, and the import fails.
  let isAsked = false;
  mock.onAsk = async (path) => {
    if (!path.includes("Page=1&")) return;
    isAsked = true;
    await new Promise(() => {});
  };
  await begin();
  await until(() => isAsked, WAIT_MS_MAX);
  await killHard(program);
  mock.onAsk = async () => {};
  assert.equal((await madeOf(stage)).requests, 0);
  program = await stage.start();
  await settle(stage, SILENT_SECONDS);

  // Killed in the commit of its second fifty: the first fifty stay.
  const asked = await lockPortRequest(t, stage, phone(80));
  await begin();
  await until(asked.isWaitedFor, WAIT_MS_MAX);
  await killHard(program);
  await asked.release();
  await untilRolledBack(stage);
  const fifty = { requests: 50, audited: 50, pools: 1, hooks: 0, ported: 0, purchases: 0 };
  assert.deepEqual(await madeOf(stage), fifty);
  program = await stage.start();
  await settle(stage, SILENT_SECONDS);

  // Killed in the commit of a ported number.
  const taken = await lockNumber(t, stage, PORTED);
  const lost = complete(stage, port).catch(() => null);
  await until(taken.isWaitedFor, WAIT_MS_MAX);
  await killHard(program);
  await taken.release();
  assert.equal(await lost, null, "an incomplete port was confirmed");
  await untilRolledBack(stage);
  assert.deepEqual(await madeOf(stage), fifty);
  program = await stage.start();
  await settle(stage, SILENT_SECONDS);

  const last = await begin();
  await until(async () => {
    const { body } = await call(stage, key, "GET", `/console/v1/imports/${last}`);
    assert.notEqual(body.status, "failed", JSON.stringify(body.error));
    return body.status === "complete";
  }, WAIT_MS_MAX);
  assert.equal((await complete(stage, port)).status, 200);
  assert.equal((await complete(stage, port)).status, 409);
  assert.deepEqual(await madeOf(stage), {
    ...{ requests: NUMBERS, audited: NUMBERS, pools: 1, hooks: 1 },
    ...{ ported: 1, purchases: 1 },
  });
  const ended = await stage.rows("select status from account_imports order by id");
  assert.deepEqual(
    ended.map((row) => row.status),
    ["failed", "failed", "complete"],
  );
  await assertMoneyAddsUp(stage.rows);
});

async function call(stage: KillStage, key: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${stage.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  return { status: answer.status, body: (await answer.json()) as any };
}

/** Creates a port request that only has to be completed. */
async function scheduledPort(stage: KillStage): Promise<string> {
  const [{ id }] = await stage.rows("select id from accounts order by created_at desc limit 1");
  const account_id = toApiId("account", id);
  const body = { account_id, phone_number: PORTED, provider: "twilio" };
  const made = await stage.operator("POST", "/port_requests", body);
  const path = `/port_requests/${made.id}`;
  await stage.operator("PATCH", path, { status: "submitted" });
  await stage.operator("PATCH", path, { status: "foc_set", foc_date: "2026-12-01" });
  return path;
}

async function complete(stage: KillStage, port: string) {
  return call(stage, OPERATOR_TOKEN, "PATCH", `/operator/v1${port}`, { status: "complete" });
}

function lockPortRequest(t: TestContext, stage: KillStage, phone: string) {
  return insertUncommitted(
    t,
    stage,
    `insert into port_requests (id, account_id, shard, phone_number, status, provider, pool_ids, created_at, updated_at)
     select gen_random_uuid(), id, shard, $1, 'requested', 'test', '{}', now(), now() from accounts limit 1`,
    phone,
  );
}

function lockNumber(t: TestContext, stage: KillStage, phone: string) {
  return insertUncommitted(
    t,
    stage,
    `insert into numbers (id, account_id, shard, phone_number, mode, type, country, area_code, sender_state,
                          sender_updated_at, purchased_at, paid_until)
     select gen_random_uuid(), id, shard, $1, 'live', 'local', 'US', '425', 'pending', now(), now(), now()
       from accounts limit 1`,
    phone,
  );
}

/** Inserts a conflicting row in an open transaction, so that the program waits for the lock at that insert. */
async function insertUncommitted(t: TestContext, stage: KillStage, insert: string, phone: string) {
  const client = new pg.Client(await ownerOf(stage.connection));
  // The database may be dropped first if the test failed.
  client.on("error", () => {});
  t.after(() => client.end());
  await client.connect();
  const isWaitedFor = await watchHolder(client, stage.rows);
  await client.query("begin");
  await client.query(insert, [phone]);
  return { isWaitedFor, release: () => client.end() };
}

/** Waits until the transactions of a killed process are rolled back. */
async function untilRolledBack(stage: KillStage): Promise<void> {
  await until(async () => {
    const rows = await stage.rows(
      `select l.pid from pg_locks l join pg_class c on c.oid = l.relation
        where l.database = (select oid from pg_database where datname = current_database())
          and c.relname in ('port_requests', 'numbers') and l.mode = 'RowExclusiveLock'`,
    );
    return rows.length === 0;
  }, WAIT_MS_MAX);
}

/** Counts of everything that could be incomplete or duplicated. */
async function madeOf(stage: KillStage) {
  const [row] = await stage.rows(
    `select (select count(*) from port_requests where phone_number <> $1)::int as requests,
            (select count(*) from audit_log where action = 'port_request.created')::int - 1 as audited,
            (select count(*) from pools)::int as pools,
            (select count(*) from webhook_endpoints where url = $2)::int as hooks,
            (select count(*) from numbers where phone_number = $1)::int as ported,
            (select count(*) from events where type = 'number.purchased' and data->>'phone_number' = $1)::int as purchases`,
    [PORTED, HOOK],
  );
  return row;
}
