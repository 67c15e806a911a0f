import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { unprivileged } from "./external-postgres.ts";
import { freePort } from "./free-port.ts";
import type { Occasion } from "./program.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
export const USER = "owner";

/** A PostgreSQL that a test starts, kills and starts again. */
export interface Server {
  readonly port: number;
  /** The folder of its files, and who reads and writes them. */
  readonly data: string;
  readonly as: RunningAs;
  readonly settings: Readonly<Record<string, string>>;
  /** Process id of the postmaster, while it runs. */
  pid(): number;
  query(
    database: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<Record<string, unknown>[]>;
  /** As a power cut would: the postmaster and everything below it. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** As whom, and where, the programs of PostgreSQL run. */
export interface RunningAs {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly uid?: number;
  readonly gid?: number;
}

/** A folder for servers, which goes away with the test, and who they run as in it. */
export async function folderFor(
  t: Occasion,
): Promise<{ as: RunningAs; ends: (() => Promise<void>)[] }> {
  const folder = await mkdtemp(join(tmpdir(), "lw-servers-"));
  const account = await unprivileged();
  if (account) await chown(folder, account.uid, account.gid);
  const as = { cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" }, ...account };
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true });
  });
  return { as, ends };
}

export async function initialise(bin: string, data: string, as: RunningAs): Promise<void> {
  const trust = ["--auth-local=trust", "--auth-host=trust"];
  await run(join(bin, "initdb"), ["-D", data, "-U", USER, "-E", "UTF8", "-N", ...trust], as);
}

export interface StartedServers {
  readonly socketFolder: string;
  readonly user: string;
  readonly servers: Server[];
  /** Steps to run before the folder of all servers is removed. */
  readonly ends: (() => Promise<void>)[];
}

/** Servers that know nothing of each other, with settings of their own. */
export async function startServers(
  t: Occasion,
  bin: string,
  count: number,
  settings: Readonly<Record<string, string>>,
): Promise<StartedServers> {
  const { as, ends } = await folderFor(t);
  const servers: Server[] = [];
  for (let number = 0; number < count; number += 1) {
    const data = join(as.cwd, `server${number}`);
    await initialise(bin, data, as);
    const server = serverIn(bin, as.cwd, data, await freePort(), as, settings);
    ends.push(server.kill);
    await server.start();
    servers.push(server);
  }
  return { socketFolder: as.cwd, user: USER, servers, ends };
}

/** A server in a folder of files that is there already. */
export function serverIn(
  bin: string,
  folder: string,
  data: string,
  port: number,
  as: RunningAs,
  more: Readonly<Record<string, string>> = {},
): Server {
  let child: ChildProcess | null = null;
  const query = async (database: string, text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ host: folder, port, user: USER, database });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Record<string, unknown>[];
    } finally {
      await client.end().catch(() => {});
    }
  };
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: folder,
    max_connections: "120",
    wal_level: "replica",
    hot_standby: "on",
    ...more,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return {
    ...{ port, data, as, settings: more },
    pid: () => child?.pid ?? 0,
    query,
    async kill() {
      if (child === null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      child = null;
      await ended;
    },
    async start() {
      child = spawn(join(bin, "postgres"), ["-D", data, ...args], { ...as, stdio: "ignore" });
      await until(() =>
        query("postgres", "select 1").then(
          () => true,
          () => false,
        ),
      );
    },
  };
}
