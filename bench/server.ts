import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { printed, ROOT, stop } from "./processes.ts";

const OPERATOR_PATH = "/operator/v1";
/** Rate limit that refuses nothing, while the limiter does all of its work. */
const RATE_LIMIT_PER_SECOND = 1_000_000;

/** A real server on a new embedded PostgreSQL, with the account and key of its first run. */
export interface Server {
  readonly url: string;
  /** Process id of the server; changes with a restart. */
  pid(): number;
  /** The server's LONGWAVE_DATA. */
  readonly folder: string;
  readonly accountId: string;
  readonly testKey: string;
  /** Connection to its PostgreSQL. */
  readonly connection: ClientConfig;
  /** Calls the API; throws unless the status is 2xx. */
  request<Body>(method: string, path: string, options?: RequestOptions): Promise<Body>;
  operator<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Value of a series without labels in /metrics. */
  metric(name: string): Promise<number>;
  /** Stops the server and its PostgreSQL, runs `meanwhile`, and starts both on the same data. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** API key; the first run's by default. */
  readonly key?: string;
}

export async function startServer(
  env: Readonly<Record<string, string>>,
  atEnd: (close: () => Promise<void>) => void,
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "lw-bench-"));
  await chmod(folder, 0o755);
  atEnd(() => rm(folder, { recursive: true, force: true }));
  let program = await launch(folder, "0", env);
  atEnd(() => stop(program.child));
  const { url } = program;
  const token = (await readFile(join(folder, "operator-token"), "utf8")).trim();
  const first = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8")) as {
    account_id: string;
    test_key: string;
  };
  const server: Server = {
    url,
    pid: () => program.child.pid ?? 0,
    folder,
    accountId: first.account_id,
    testKey: first.test_key,
    connection: {
      host: join(folder, "postgres/run"),
      port: 5432,
      user: "longwave",
      database: "longwave",
    },
    request: (method, path, { body, key = first.test_key } = {}) =>
      ask(method, url + path, key, body),
    operator: (method, path, body) => ask(method, url + OPERATOR_PATH + path, token, body),
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    },
    async restart(meanwhile) {
      await stop(program.child);
      await meanwhile?.();
      program = await launch(folder, new URL(url).port, env);
    },
  };
  await server.operator("PATCH", `/accounts/${first.account_id}`, {
    rate_limit: RATE_LIMIT_PER_SECOND,
  });
  return server;
}

async function launch(
  folder: string,
  port: string,
  env: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; url: string }> {
  const nodeArgs = process.env["BENCH_NODE_ARGS"]?.split(" ") ?? [];
  const args = [...nodeArgs, join(ROOT, "packages/server/dist/main.js")];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], PORT: port, LONGWAVE_DATA: folder, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [, url = ""] = await printed(child, /^Longwave is ready at (http:\S+)$/m);
  return { child, url };
}

async function ask<Body>(method: string, url: string, key: string, body: unknown): Promise<Body> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Body;
}
