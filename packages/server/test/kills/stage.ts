import assert from "node:assert/strict";
import { once } from "node:events";
import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import pg from "pg";
import { cloneDatabase, ownerOf, startCluster } from "../../testing/cluster.ts";
import { killPostmaster } from "../../testing/embedded.ts";
import { freePort } from "../../testing/free-port.ts";
import { OPERATOR_TOKEN, TEST_SHARDS } from "../../testing/kit.ts";
import { type Program, startProgram } from "../../testing/program.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";

export const FROM = "+14155550100";
const ACCOUNT = "Killed";

/** Line of the simulator's journal: a submit, whatever the database says. */
export interface Submit {
  readonly messageId: string;
  readonly to: string;
  readonly body: string;
  readonly answer: "accept" | "temporary" | "refuse";
}

export interface StageOptions {
  /** Carrier window: the maximum number of messages whose outcome a kill makes unknown. */
  readonly window: number;
  /** Carriers file entries instead of a simulator; the caller then provides `submits`. */
  readonly carriers?: readonly object[];
  /** Starts a separate PostgreSQL, which may be killed and restarts by itself. */
  readonly ownPostgres?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Query function for a database that the stage did not create. */
  readonly rows?: (text: string, values?: readonly unknown[]) => Promise<unknown[]>;
}

/** An installation whose processes are killed: one database, account and journal. */
export interface KillStage {
  readonly url: string;
  readonly journal: string;
  readonly carriersFile: string;
  readonly connection: pg.ClientConfig;
  /** Starts a process of this build, or of another main.js, and waits until it is ready. */
  start(env?: Readonly<Record<string, string>>, main?: string): Promise<Program>;
  killPostgres(): Promise<void>;
  /** Resets the connections to the carrier, if there are any. */
  resetLines(): void;
  /**
   * Creates an account with live access, credit and an active number, through the stage's address or a
   * node's; returns its live key.
   */
  prepare(at?: string, account?: { readonly name: string; readonly from: string }): Promise<string>;
  operator(method: string, path: string, body: unknown): Promise<{ id: string; key: string }>;
  /** Runs a statement on a new connection and returns its rows. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read rows freely
  rows(text: string, values?: readonly unknown[]): Promise<any[]>;
  /** All submits so far. */
  submits(): Promise<Submit[]>;
  /** Approximate number of submits, cheap enough to poll. */
  submitCount(): Promise<number>;
}

export async function openStage(t: TestContext, options: StageOptions): Promise<KillStage> {
  const { connection, killPostgres } = await openDatabase(t, options.ownPostgres === true);
  const folder = await temporaryFolder(t);
  const journal = join(folder, "journal.ndjson");
  const carriers = join(folder, "carriers.json");
  await writeFile(journal, "");
  const entry = { name: "sim", type: "simulator", journal, window: options.window };
  await writeFile(carriers, JSON.stringify({ carriers: options.carriers ?? [entry] }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const owner = await ownerOf(connection);
  const base = {
    PORT: String(port),
    LONGWAVE_DATA: folder,
    DATABASE_URL: urlOf(connection),
    DATABASE_OWNER_URL: urlOf(owner),
    LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    LONGWAVE_CARRIERS: carriers,
    LONGWAVE_RATE_LIMIT: "0",
    LONGWAVE_SHARDS: TEST_SHARDS,
    LOG_LEVEL: "error",
    ...options.env,
  };
  const ownRows = async (text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client(owner);
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text, values as unknown[])).rows;
    } finally {
      await client.end().catch(() => {});
    }
  };
  const rows = (options.rows ?? ownRows) as KillStage["rows"];
  let address = url;
  const operator = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(`${address}/operator/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json() as Promise<{ id: string; key: string }>;
  };
  const submits = async () => {
    // The part after the last line break is still being written.
    const lines = (await readFile(journal, "utf8")).split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Submit);
  };
  return {
    url,
    journal,
    carriersFile: carriers,
    connection,
    killPostgres,
    resetLines: () => {},
    rows,
    operator,
    async start(env = {}, main) {
      const program = startProgram(t, {
        env: { ...base, ...env },
        ...(main === undefined ? {} : { main }),
      });
      await program.says(/Longwave is ready/);
      return program;
    },
    async prepare(at = url, { name, from } = { name: ACCOUNT, from: FROM }) {
      address = at;
      const account = await operator("POST", "/accounts", { name });
      await operator("PATCH", `/accounts/${account.id}`, {
        live_access: "granted",
        daily_message_quota: 1_000_000,
      });
      await operator("POST", `/accounts/${account.id}/credits`, { amount_usd: 10_000 });
      const { key } = await operator("POST", `/accounts/${account.id}/keys`, { mode: "live" });
      await rows(
        `insert into numbers (id, account_id, shard, phone_number, mode, type, country, area_code, sender_state,
                              sender_updated_at, purchased_at, paid_until)
         select gen_random_uuid(), id, shard, $1, 'live', 'toll_free', 'US', '415', 'active', now(), now(), now() + interval '30 days'
           from accounts where name = $2`,
        [from, name],
      );
      return key;
    },
    submits,
    submitCount: createCounter(journal, submits),
  };
}

function urlOf({ host, port, user, database }: pg.ClientConfig): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host ?? "")}&port=${port}`;
}

async function openDatabase(t: TestContext, isOwn: boolean) {
  if (!isOwn) {
    const { connection, drop } = await cloneDatabase();
    t.after(drop);
    const killPostgres = () => Promise.reject(new Error("This PostgreSQL is shared."));
    return { connection, killPostgres };
  }
  const { cluster, dataDir, stop } = await startCluster({ isDurable: true });
  t.after(stop);
  return {
    connection: {
      ...cluster.connection,
      user: cluster.roles?.application ?? cluster.connection.user,
      database: cluster.template,
    },
    killPostgres: () => killPostmaster(dataDir),
  };
}

/** Kills a process with SIGKILL. */
export async function killHard(program: Program): Promise<void> {
  program.child.kill("SIGKILL");
  await once(program.child, "close");
}

/** Estimates the number of journal lines from the file size: all lines have about the same length. */
function createCounter(journal: string, submits: () => Promise<Submit[]>): () => Promise<number> {
  let lineBytes = 0;
  return async () => {
    const { size } = statSync(journal);
    if (size === 0) return 0;
    if (lineBytes === 0) lineBytes = size / Math.max(1, (await submits()).length);
    return size / lineBytes;
  };
}
