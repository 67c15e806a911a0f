import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import type { BareAnswer } from "./bare-fastify.ts";
import type { Contender } from "./define.ts";
import type { Load, LoadResult } from "./load.ts";
import { outputOf, printed, ROOT, startScript, stop } from "./processes.ts";

const WARM_UP_MS = 1_000;
const OPERATOR_PATH = "/operator/v1";
/** High enough that nobody is refused, while the limiter does all of its work. */
const RATE_LIMIT_PER_SECOND = 1_000_000;

/** A real server on a fresh embedded PostgreSQL, with the account and key of its first run. */
export interface Server {
  readonly url: string;
  readonly accountId: string;
  readonly testKey: string;
  /** Its database, to put work there that would take long to make by requests. */
  readonly connection: ClientConfig;
  operator(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** One kind of request, repeated on every connection. */
export interface Workload {
  readonly name: string;
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in turn; none for a request without a body. */
  readonly bodies?: readonly string[];
  readonly connections: number;
  readonly statuses?: readonly number[];
}

/** Where a benchmark starts what it compares. Everything is taken down at the end. */
export interface Stage {
  /** Starts the built server with these settings. */
  server(env?: Readonly<Record<string, string>>): Promise<Server>;
  /** Starts a bare Fastify and gives its URL. */
  bareFastify(answer: BareAnswer): Promise<string>;
  /** Starts a receiver of webhooks and gives its URL. */
  webhookReceiver(): Promise<string>;
  /** A contender that drives one kind of request from a process of its own. */
  load(workload: Workload): Contender;
  /** Keeps something to be taken down at the end. */
  atEnd(close: () => Promise<void>): void;
}

export function createStage(measureMs: number): { stage: Stage; close(): Promise<void> } {
  const closings: (() => Promise<void>)[] = [];
  const atEnd = (close: () => Promise<void>) => void closings.push(close);
  const stage: Stage = {
    atEnd,
    server: (env = {}) => startServer(env, atEnd),
    bareFastify: (answer) => startListening("bare-fastify.ts", answer, atEnd),
    webhookReceiver: () => startListening("webhook-receiver.ts", null, atEnd),
    load: (workload) => loadContender(workload, measureMs),
  };
  return {
    stage,
    async close() {
      for (const close of closings.reverse()) await close();
    },
  };
}

/** Starts a program of ours that listens, and gives its URL. */
async function startListening(file: string, input: unknown, atEnd: Stage["atEnd"]) {
  const child = startScript(file, input);
  atEnd(() => stop(child));
  const [, port] = await printed(child, /^ready (\d+)$/m);
  return `http://127.0.0.1:${port}`;
}

async function startServer(
  env: Readonly<Record<string, string>>,
  atEnd: (close: () => Promise<void>) => void,
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "lw-bench-"));
  await chmod(folder, 0o755);
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const nodeArgs = process.env["BENCH_NODE_ARGS"]?.split(" ") ?? [];
  const args = [...nodeArgs, join(ROOT, "packages/server/dist/main.js")];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], PORT: "0", LONGWAVE_DATA: folder, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  atEnd(() => stop(child));
  const [, url = ""] = await printed(child, /^Longwave is ready at (http:\S+)$/m);
  const token = (await readFile(join(folder, "operator-token"), "utf8")).trim();
  const first = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8")) as {
    account_id: string;
    test_key: string;
  };
  const operator = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(url + OPERATOR_PATH + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  await operator("PATCH", `/accounts/${first.account_id}`, { rate_limit: RATE_LIMIT_PER_SECOND });
  const connection = { host: join(folder, "postgres/run"), user: "longwave", database: "longwave" };
  return { url, accountId: first.account_id, testKey: first.test_key, connection, operator };
}

function loadContender(workload: Workload, measureMs: number): Contender {
  const url = new URL(workload.url);
  const load: Load = {
    host: url.hostname,
    port: Number(url.port),
    connections: workload.connections,
    warmUpMs: WARM_UP_MS,
    measureMs,
    statuses: workload.statuses ?? [200],
    requests: (workload.bodies ?? [""]).map((body) => requestText(workload, url, body)),
  };
  return {
    name: workload.name,
    async measure() {
      const output = await outputOf(startScript("load.ts", load));
      const result = JSON.parse(output) as LoadResult;
      const { answers, seconds, errors, p50Ms, p99Ms } = result;
      return { perSecond: answers / seconds, errors, p50Ms, p99Ms };
    },
  };
}

function requestText(workload: Workload, url: URL, body: string): string {
  const headers: Record<string, string> = {
    host: url.host,
    accept: "application/json",
    ...workload.headers,
  };
  if (body !== "") {
    headers["content-type"] ??= "application/json";
    headers["content-length"] = String(Buffer.byteLength(body));
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const method = workload.method ?? "GET";
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
