import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cloneDatabase } from "../../testing/cluster.ts";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import { freePort, startProgram, temporaryFolder } from "../../testing/program.ts";

const FROM = "+14155550100";
const CLIENTS = 8;
const PAUSE_BETWEEN_KILLS_MS = 400;
const RETRY_MS = 50;

/** A text that a client was told is accepted. */
interface Acknowledged {
  readonly id: string;
  readonly text: string;
}

/** A line of the simulator's journal: what left us, whatever the database says. */
interface Submit {
  readonly messageId: string;
  readonly body: string;
  readonly answer: string;
}

/**
 * Kills the server with SIGKILL so many times while clients send. Clients do as real ones do: no
 * answer means the same request again, with the same key. Then everything acknowledged must be
 * there once, and the journal must show nothing sent twice.
 */
export async function killUnderLoad(t: TestContext, kills: number): Promise<void> {
  const stage = await openStage(t);
  let program = await stage.start();
  const acknowledged: Acknowledged[] = [];
  const done = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    sendUntil(stage.url, stage.liveKey(), client, acknowledged, done.signal),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const before = acknowledged.length;
    while (acknowledged.length < before + CLIENTS) await sleep(PAUSE_BETWEEN_KILLS_MS / 10);
    await sleep(Math.random() * PAUSE_BETWEEN_KILLS_MS);
    program.child.kill("SIGKILL");
    await once(program.child, "close");
    program = await stage.start();
  }
  done.abort();
  await Promise.all(clients);
  await check(stage.connection, stage.journal, acknowledged);
}

async function openStage(t: TestContext) {
  const database = await cloneDatabase();
  t.after(database.drop);
  const folder = await temporaryFolder(t);
  const journal = join(folder, "journal.ndjson");
  const carriers = join(folder, "carriers.json");
  await writeFile(journal, "");
  const entry = { name: "sim", type: "simulator", journal, window: 20 };
  await writeFile(carriers, JSON.stringify({ carriers: [entry] }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { host, port: pgPort, user, database: name } = database.connection;
  const env = {
    PORT: String(port),
    LONGWAVE_DATA: folder,
    DATABASE_URL: `postgres://${user}@/${name}?host=${encodeURIComponent(host ?? "")}&port=${pgPort}`,
    LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    LONGWAVE_CARRIERS: carriers,
    LONGWAVE_RATE_LIMIT: "0",
    LOG_LEVEL: "error",
  };
  let liveKey = "";
  return {
    url,
    journal,
    connection: database.connection,
    liveKey: () => liveKey,
    async start() {
      const program = startProgram(t, { env });
      await program.says(/Longwave is ready/);
      if (liveKey === "") liveKey = await prepare(url, database.connection);
      return program;
    },
  };
}

/** An account with live access, money and a number that may text the public. */
async function prepare(url: string, connection: pg.ClientConfig): Promise<string> {
  const operator = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(`${url}/operator/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json() as Promise<{ id: string; key: string }>;
  };
  const account = await operator("POST", "/accounts", { name: "Killed" });
  await operator("PATCH", `/accounts/${account.id}`, {
    live_access: "granted",
    daily_message_quota: 1_000_000,
  });
  await operator("POST", `/accounts/${account.id}/credits`, { amount_usd: 10_000 });
  const key = await operator("POST", `/accounts/${account.id}/keys`, { mode: "live" });
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    `insert into numbers (id, account_id, shard, phone_number, mode, type, country, area_code, sender_state,
                          sender_updated_at, purchased_at, paid_until)
     select gen_random_uuid(), id, shard, $1, 'live', 'local', 'US', '415', 'active', now(), now(), now() + interval '30 days'
       from accounts where name = 'Killed'`,
    [FROM],
  );
  await client.end();
  return key.key;
}

async function sendUntil(
  url: string,
  key: string,
  client: number,
  acknowledged: Acknowledged[],
  signal: AbortSignal,
): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    const text = `client ${client} text ${count}`;
    const to = `+1415555${String(2_000 + client)}`;
    const body = JSON.stringify({ to, from: FROM, body: text });
    for (;;) {
      const answer = await fetch(`${url}/v1/messages`, {
        method: "POST",
        body,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": text,
        },
      }).catch(() => null);
      if (answer?.status === 201 || answer?.status === 202) {
        const { id } = (await answer.json().catch(() => ({ id: null }))) as { id: string | null };
        if (id !== null) {
          acknowledged.push({ id, text });
          break;
        }
      }
      // A run that ends while the server is away leaves its last text unacknowledged.
      if (signal.aborted) return;
      await sleep(RETRY_MS);
    }
  }
}

async function check(
  connection: pg.ClientConfig,
  journal: string,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ body: string; status: string; n: number }>(
    "select body, min(status) as status, count(*)::int as n from messages where direction = 'outbound' group by body",
  );
  const {
    rows: [money],
  } = await client.query(
    `select balance_micros = (select sum(amount_micros) from ledger_entries l where l.account_id = c.account_id) as adds_up
       from account_counters c join accounts a on a.id = c.account_id where a.name = 'Killed'`,
  );
  await client.end();
  const stored = new Map(rows.map((row) => [row.body, row]));
  const missing = acknowledged.filter(({ text }) => !stored.has(text));
  assert.deepEqual(missing, [], "acknowledged texts that are not there");
  assert.deepEqual(
    rows.filter((row) => row.n > 1),
    [],
    "texts that are there twice",
  );
  assert.equal(money.adds_up, true, "the balance is the sum of its entries");

  const lines = (await readFile(journal, "utf8")).split("\n").filter((line) => line !== "");
  const submits = lines.map((line) => JSON.parse(line) as Submit);
  const times = new Map<string, number>();
  for (const submit of submits) times.set(submit.body, (times.get(submit.body) ?? 0) + 1);
  const twice = [...times].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], "texts that left us twice");
  const neverLeft = rows.filter((row) => row.status !== "queued" && !times.has(row.body));
  assert.deepEqual(neverLeft, [], "texts that are sent and never left us");
}
