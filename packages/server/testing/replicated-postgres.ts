import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { unprivileged } from "./outside-postgres.ts";
import { freePort, type Occasion } from "./program.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const USER = "owner";

/** One of the two servers. */
export interface Server {
  readonly port: number;
  query(
    database: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<Record<string, unknown>[]>;
  /** As a power cut would: the postmaster and everything below it. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** A primary whose every commit waits for its standby. */
export interface ReplicatedPostgres {
  readonly primary: Server;
  readonly standby: Server;
  /** Both addresses, the first server's first. */
  url(database: string): string;
}

/** Starts a primary and a synchronous standby of it, with the programs of an installed PostgreSQL. */
export async function startReplicatedPostgres(
  t: Occasion,
  bin: string,
): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "lw-replicated-"));
  const account = await unprivileged();
  if (account) await chown(folder, account.uid, account.gid);
  const as = { cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" }, ...account };
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true });
  });
  const first = join(folder, "first");
  const trust = ["--auth-local=trust", "--auth-host=trust"];
  await run(join(bin, "initdb"), ["-D", first, "-U", USER, "-E", "UTF8", "-N", ...trust], as);
  const primary = serverIn(bin, folder, first, await freePort(), as);
  ends.push(primary.kill);
  await primary.start();
  const second = join(folder, "second");
  const source = ["-h", folder, "-p", String(primary.port), "-U", USER];
  await run(
    join(bin, "pg_basebackup"),
    [...source, "-D", second, "-R", "-X", "stream", "-c", "fast", "-C", "-S", "second"],
    as,
  );
  const standby = serverIn(bin, folder, second, await freePort(), as);
  ends.push(standby.kill);
  await standby.start();
  // From now on a commit is answered when both have it. The copy does not have this setting.
  await primary.query("postgres", "alter system set synchronous_standby_names = '*'");
  await primary.query("postgres", "select pg_reload_conf()");
  await until(async () => {
    const rows = await primary.query("postgres", "select sync_state from pg_stat_replication");
    return rows[0]?.["sync_state"] === "sync";
  });
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    primary,
    standby,
    url: (database) => `postgres://${USER}@${hosts}/${database}?target_session_attrs=read-write`,
  };
}

function serverIn(
  bin: string,
  folder: string,
  data: string,
  port: number,
  as: { readonly cwd: string; readonly env: Record<string, string>; uid?: number; gid?: number },
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
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return {
    port,
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
