import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Longwave } from "@longwave/sdk";
import type { ClientConfig } from "pg";
import { type AccountRow, createAccount } from "../src/account/accounts/index.ts";
import { createKey } from "../src/account/keys/index.ts";
import { assemble } from "../src/app/assemble.ts";
import type { Deps } from "../src/app/deps.ts";
import { serve } from "../src/app/serve.ts";
import { loadConfig } from "../src/core/config/config.ts";
import { type Database, openDatabase } from "../src/core/db/driver/database.ts";
import { composed, sql } from "../src/core/db/driver/sql-builder.ts";
import { isShifted } from "../src/core/platform/clock.ts";
import { createLog, type Log } from "../src/core/platform/log.ts";
import type { Outgoing } from "../src/core/platform/outgoing/index.ts";
import type { Lane } from "../src/core/queue/lane.ts";
import { startWorker } from "../src/core/queue/worker.ts";
import type { Carriers } from "../src/network/carriers/index.ts";
import type { Registry } from "../src/network/registrations/index.ts";
import { HASH_COST } from "../src/surfaces/console/passwords.ts";
import { cloneDatabase, ownerOf, superuserOf } from "./cluster.ts";
import { checkedFetch } from "./openapi-check.ts";
import { refuseWithoutShard } from "./shard-guard.ts";

const TEST_TIMEOUTS = { statementTimeoutMs: 30_000, lockTimeoutMs: 10_000 };

/** A password takes 3 instead of 80 ms of a core. */
const TEST_HASH_N = 1_024;

/** Number of shards of test installations: one, unless the run sets another. */
export const TEST_SHARDS = process.env["LONGWAVE_TEST_SHARDS"] ?? "1";

/** Data folders of this process so far. */
let dataFolders = 0;

export const OPERATOR_TOKEN = "operator-token-of-the-tests";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any;
}

export interface RequestOptions {
  /** The bearer; the kit's test key unless given, none when null. */
  readonly key?: string | null;
  readonly body?: unknown;
  /** The body's media type; JSON unless given. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole server on a database of its own. */
export interface Kit {
  readonly url: string;
  readonly deps: Deps;
  readonly account: AccountRow;
  readonly testKey: string;
  readonly liveKey: string;
  readonly connection: ClientConfig;
  /** The SDK with the kit's test key. It tries nothing twice: a test should see every refusal. */
  readonly api: Longwave;
  /** The operator's calls of the same SDK. */
  readonly operatorApi: Longwave["operator"];
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  operator(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Moves the service's time forward and waits until all that fell due is done. */
  advance(seconds: number): Promise<void>;
  /** From now on the service's time moves by `advance` alone, however slow the machine is. */
  stopClock(): void;
  /**
   * From now on no token comes back to a rate limit: its buckets are filled by the database's time, which
   * no test stops, so the offset falls behind by as much as time passes. Not to be used with `advance`.
   */
  stopBuckets(): void;
  /**
   * From now on nothing is found by looking again after a while: what sleeps is woken, or sleeps until the
   * test ends. Resolves when no sleep of before is left.
   */
  stopPolls(): Promise<void>;
  /** Rows of a statement written for a test, by somebody who may do anything in the database. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read rows freely
  rows(text: string, values?: readonly unknown[]): Promise<any[]>;
}

/** Whatever takes down what was started for it: a test, or a whole suite (see suite.ts). */
export interface Lifetime {
  after(takeDown: () => Promise<void>): void;
}

export interface KitOptions {
  /** Sources of due work instead of the real ones. */
  readonly lanes?: readonly Lane<Deps>[];
  /** Links to carriers instead of those of the carriers file. */
  readonly carriers?: Carriers;
  /** A registry instead of the one that the settings name. */
  readonly registry?: Registry;
  /** The way out to other machines instead of the settings' own. */
  readonly outgoing?: Outgoing;
  /** A log that the test reads; none is kept otherwise. */
  readonly log?: Log;
  /** Runs when everything is taken down. */
  readonly afterwards?: () => Promise<void>;
}

/** One call gives a test everything; it is all taken down when the test ends. */
export async function startKit(
  t: Lifetime,
  env: Readonly<Record<string, string>> = {},
  options: KitOptions = {},
): Promise<Kit> {
  const database = await cloneDatabase();
  return startKitOn(t, database.connection, env, { ...options, afterwards: database.drop });
}

/**
 * The same on a database that exists: a second process of one installation. It does due work
 * unless `LONGWAVE_ROLES` says `api` alone.
 */
export async function startKitOn(
  t: Lifetime,
  connection: ClientConfig,
  env: Readonly<Record<string, string>> = {},
  options: KitOptions = {},
): Promise<Kit> {
  HASH_COST.N = TEST_HASH_N;
  // Created by the first write only.
  dataFolders += 1;
  const dataFolder = join(tmpdir(), `lw-data-${process.pid}-${dataFolders}`);
  const config = loadConfig({
    LONGWAVE_TEST_CLOCK: "1",
    LONGWAVE_RATE_LIMIT: "0",
    // No test asks another provider: there is nobody behind this address.
    LONGWAVE_IMPORT_TWILIO_URL: "http://127.0.0.1:9",
    LONGWAVE_IMPORT_TELNYX_URL: "http://127.0.0.1:9",
    LONGWAVE_SHARDS: TEST_SHARDS,
    LONGWAVE_DATA: dataFolder,
    ...env,
  });
  const log = options.log ?? createLog({ level: process.env["LOG_LEVEL"] ?? "silent" });
  const owner = await ownerOf(connection);
  const { deps, close } = await assemble({
    config,
    connection,
    owner,
    rootKey: Buffer.alloc(32, 7),
    log,
    inspect: refuseWithoutShard,
    ...(options.lanes ? { lanes: options.lanes } : {}),
    ...(options.carriers ? { carriers: options.carriers } : {}),
    ...(options.registry ? { registry: options.registry } : {}),
    ...(options.outgoing ? { outgoing: options.outgoing } : {}),
  });
  // The application may not do what a test may: rewrite a ledger, move a partition.
  const everything = await superuserOf(connection);
  const { isDistributed } = deps.db;
  const database = openDatabase({ connection: everything, ...TEST_TIMEOUTS, isDistributed });
  const takeDowns = [close, () => database.close(), options.afterwards ?? (async () => {})];
  // Registered first, so that a server which fails to start leaves nothing open.
  t.after(async () => {
    for (const takeDown of takeDowns) await takeDown();
    await rm(dataFolder, { recursive: true, force: true });
  });
  const server = await serve(deps, { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN });
  takeDowns.unshift(server.close);
  const worker = config.roles.includes("worker") ? await startWorker(deps) : null;
  if (worker) takeDowns.splice(1, 0, () => worker.stop());
  const first = await firstAccount(deps);
  return kitOf(deps, server.url, connection, first, database);
}

/** A kit of the same server with a new account; `rows` reads through the views of a schema (fresh-account.ts). */
export async function accountKit(t: Lifetime, kit: Kit, schema: string): Promise<Kit> {
  const first = await firstAccount(kit.deps);
  const superuser = await superuserOf(kit.connection);
  const options = `-c search_path=${schema},public -c test.account=${first.account.id}`;
  const database = openDatabase({ connection: { ...superuser, options }, ...TEST_TIMEOUTS });
  t.after(() => database.close());
  return kitOf(kit.deps, kit.url, kit.connection, first, database);
}

/** The longest sleep of those who look again. */
const LOOK_AGAIN_MS_MAX = 2_000;

async function stopPolls(clock: Deps["clock"]): Promise<void> {
  const { sleep } = clock;
  const untilWoken = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  Object.assign(clock, {
    sleep: (ms: number, signal?: AbortSignal) =>
      signal === undefined ? sleep(ms) : untilWoken(ms, signal),
  });
  await sleep(LOOK_AGAIN_MS_MAX);
}

async function firstAccount(deps: Deps) {
  return deps.db.tx(async (tx) => {
    const account = await createAccount(deps, tx, "Test account");
    const test = await createKey(deps, tx, account, { mode: "test", name: "test", scopes: null });
    const live = await createKey(deps, tx, account, { mode: "live", name: "live", scopes: null });
    return { account, testKey: test.key ?? "", liveKey: live.key ?? "" };
  });
}

function kitOf(
  deps: Deps,
  url: string,
  connection: ClientConfig,
  first: { account: AccountRow; testKey: string; liveKey: string },
  database: Database,
): Kit {
  const send = async (
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> => {
    const headers: Record<string, string> = { ...options.headers };
    const key = options.key === undefined ? first.testKey : options.key;
    if (key !== null) headers["authorization"] = `Bearer ${key}`;
    const init: RequestInit = { method, headers };
    if (options.body !== undefined) {
      headers["content-type"] ??= options.type ?? "application/json";
      init.body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
    }
    const response = await checkedFetch(url + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
  };
  const request = withOwnKeys(send, first);
  const operator = (method: string, path: string, body?: unknown) =>
    send(method, `/operator/v1${path}`, { key: OPERATOR_TOKEN, body });
  const api = new Longwave({
    apiKey: first.testKey,
    operatorToken: OPERATOR_TOKEN,
    baseUrl: url,
    retryDelaysMs: [],
    fetch: checkedFetch,
  });
  return {
    ...first,
    url,
    deps,
    connection,
    api,
    operatorApi: api.operator,
    request,
    operator,
    async advance(seconds) {
      const answer = await operator("POST", "/clock/advance", { seconds });
      if (answer.status !== 200) throw new Error(`advance failed: ${JSON.stringify(answer.body)}`);
    },
    stopClock() {
      const { clock } = deps;
      if (!isShifted(clock)) throw new Error("Only the test clock can be stopped.");
      const stoppedAt = clock.realNow();
      Object.assign(clock, {
        now: () => stoppedAt + clock.offsetMs(),
        realNow: () => stoppedAt,
      });
    },
    stopBuckets() {
      const { clock } = deps;
      if (!isShifted(clock)) throw new Error("Only the test clock can be stopped.");
      const offsetMs = clock.offsetMs();
      const stoppedAt = clock.monotonic();
      Object.assign(clock, {
        offsetMs: () => offsetMs - Math.floor(clock.monotonic() - stoppedAt),
      });
    },
    stopPolls: () => stopPolls(deps.clock),
    rows: (text, values = []) =>
      database.query(
        composed("test", sql(text.split(/\$\d+/) as unknown as TemplateStringsArray, ...values)),
      ),
  };
}

type Send = (method: string, path: string, options?: RequestOptions) => Promise<Answer>;

/**
 * Sends with the account's test key unless another is given. A read that finds nothing is repeated with the live key,
 * because each key sees its own mode alone, and most tests read whatever they have made.
 */
export function withOwnKeys(
  send: Send,
  { testKey, liveKey }: { readonly testKey: string; readonly liveKey: string },
): Send {
  return async (method, path, options = {}) => {
    const answer = await send(method, path, { key: testKey, ...options });
    const mayBeLive = method === "GET" && options.key === undefined && !path.includes("/wait");
    if (!mayBeLive || !isNothing(answer)) return answer;
    const live = await send(method, path, { ...options, key: liveKey });
    return live.status !== 200 || isNothing(live) ? answer : live;
  };
}

function isNothing({ status, body }: Answer): boolean {
  return status === 404 || (Array.isArray(body?.data) && body.data.length === 0);
}
