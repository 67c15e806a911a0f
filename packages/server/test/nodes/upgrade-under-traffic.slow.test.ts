import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { testCluster, withAdmin } from "../../testing/cluster.ts";
import {
  type FirstVersion,
  firstVersionOfToday,
  makeFirstVersion,
  readFirstVersion,
  readRows,
} from "../../testing/first-version.ts";
import { freePort } from "../../testing/free-port.ts";
import { startKit } from "../../testing/kit.ts";
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

/** Messages that must pass in each state of the upgrade. */
const MESSAGES_PER_STATE = 50;
const STATE_MS_MAX = 30_000;
const READ_EVERY_MS = 20;
/** Root key of the server that made the rows (testing/kit.ts). */
const ROOT_KEY = "07".repeat(32);

const previous = await previousRelease();
const skip = "missing" in previous ? previous.missing : false;

test("a database of the first release, with data, is upgraded under traffic: no 5xx, no row lost", {
  skip,
}, async (t) => {
  if ("missing" in previous) return;
  const cluster = await testCluster();
  const first = readFirstVersion() ?? (await firstVersionOfToday(await startKit(t)));
  const database = `upgrade_traffic_${process.pid}`;
  const connection = await makeFirstVersion(cluster, database, first);
  t.after(() =>
    withAdmin(cluster, (admin) => admin.query(`drop database if exists ${database} with (force)`)),
  );
  const { host = "", port, user } = cluster.connection;
  const pool = new pg.Pool({ ...connection, max: 1 });
  pool.on("error", () => {});
  t.after(() => pool.end());
  const rows = async (text: string, values: readonly unknown[] = []) =>
    (await pool.query(text, [...values])).rows;
  // The rows come from another database, and must not look like a restored one.
  await rows("update database_identity set home = null, timeline = null");
  const stage = await openSmppStage(t, {
    window: 10,
    rows,
    env: {
      DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      DATABASE_OWNER_URL: "",
      LONGWAVE_SECRET_KEY: ROOT_KEY,
    },
  });
  const oldMain = await buildRelease(previous.commit, await temporaryFolder(t));
  const newMain = await buildWithMigration(
    await temporaryFolder(t),
    "9999_later.sql",
    LATER_MIGRATION,
  );
  const urls: string[] = [];
  const start = async (main: string) => {
    const own = await freePort();
    const env = { PORT: String(own), LONGWAVE_DATA: await temporaryFolder(t) };
    const program = await stage.start(env, main);
    urls.push(`http://127.0.0.1:${own}`);
    return program;
  };

  const old = await start(oldMain);
  const clients = startClients(urls, await stage.prepare(urls[0]), 4);
  const reader = startReader(urls, first.keys);
  t.after(() => Promise.all([clients.stop(), reader.stop()]));
  const { acknowledged, refusals } = clients.met;
  const assertSending = async () => {
    const from = acknowledged.length;
    await until(() => acknowledged.length >= from + MESSAGES_PER_STATE, STATE_MS_MAX);
  };
  await assertSending();
  await start(newMain);
  const migrated = await rows("select 1 from schema_migrations where name = '9999_later.sql'");
  assert.equal(migrated.length, 1, "the later release has migrated");
  await assertSending();
  old.child.kill("SIGTERM");
  assert.equal(await endOf(old), 0);
  // Clients continue at the next node after a refused connection, which is no answer.
  await assertSending();
  await Promise.all([clients.stop(), reader.stop()]);

  t.diagnostic(`${acknowledged.length} messages, ${reader.reads()} reads`);
  assert.deepEqual(
    [...refusals.keys()].filter((status) => status !== 0),
    [],
    "refused sends",
  );
  assert.deepEqual(reader.wrong(), [], "answers to reads of the first version's data");
  await assertNoRowLost(connection, first);
  await assertNothingLostOrDoubled(rows, stage, acknowledged);
  await assertMoneyAddsUp(rows);
  await assertMessagesWhole(rows);
});

/** Reads the first version's account and message until `stop`, from one node after another. */
function startReader(urls: readonly string[], keys: FirstVersion["keys"]) {
  const done = new AbortController();
  const wrong: string[] = [];
  let reads = 0;
  const headers = { authorization: `Bearer ${keys.test}` };
  const readOnce = async (url: string) => {
    const [account, messages] = await Promise.all([
      fetch(`${url}/v1/account`, { headers }),
      fetch(`${url}/v1/messages`, { headers }),
    ]);
    const { id } = (await account.json()) as { id?: string };
    const { data } = (await messages.json()) as { data?: { body?: string }[] };
    if (id !== keys.account) wrong.push(`${account.status} account ${id}`);
    const isThere = data?.some(({ body }) => body === "From the first version");
    if (!isThere) wrong.push(`${messages.status} messages ${JSON.stringify(data)}`);
    reads += 1;
  };
  const running = (async () => {
    for (let turn = 0; !done.signal.aborted; turn += 1) {
      // The old node ends in the middle: no answer at all is not a wrong one.
      await readOnce(urls[turn % urls.length] as string).catch(() => {});
      await sleep(READ_EVERY_MS);
    }
  })();
  return {
    reads: () => reads,
    wrong: () => wrong,
    async stop() {
      done.abort();
      await running;
    },
  };
}

/** Tables of customers, whose rows no retention removes within a day. */
const KEPT = [
  ...["accounts", "api_keys", "users", "memberships", "customers", "audit_log"],
  ...["messages", "events", "ledger_entries", "usage_days", "batches", "batch_recipients"],
  ...["numbers", "pools", "registrations", "contacts", "segments", "topics", "schedules"],
  ...["consent_ledger", "consent_states", "automations", "verifications", "webhook_endpoints"],
];

async function assertNoRowLost(connection: pg.ClientConfig, first: FirstVersion): Promise<void> {
  const after = await readRows(connection);
  const filled = KEPT.filter((table) => (first.tables[table]?.length ?? 0) > 0);
  assert.ok(filled.length > KEPT.length / 2, `the first version has rows in ${filled}`);
  const erasing = accountsBeingErased(after);
  const countKept = (rows: readonly object[] = []) =>
    rows.filter((row) => !erasing.has((row as { account_id?: string }).account_id ?? "")).length;
  for (const table of KEPT) {
    assert.ok(countKept(after[table]) >= countKept(first.tables[table]), `${table} has lost rows`);
  }
}

/** Accounts whose examples erase a phone number or the account itself: the later server continues the erasure. */
function accountsBeingErased(tables: FirstVersion["tables"]): Set<string> {
  const erasures = (tables["erasures"] ?? []) as readonly { account_id: string }[];
  const deletions = (tables["account_deletions"] ?? []) as readonly {
    deleted_account_id: string;
  }[];
  assert.ok(erasures.length > 0 && deletions.length > 0, "the first version has erasures");
  return new Set([
    ...erasures.map((row) => row.account_id),
    ...deletions.map((row) => row.deleted_account_id),
  ]);
}
