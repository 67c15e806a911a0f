import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, chown, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./free-port.ts";

const run = promisify(execFile);
const VERSION_OLDEST = 15;
const VERSIONS_FOLDER = "/usr/lib/postgresql";
const INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "postgresql"] as const;
const INSTALL_MS_MAX = 300_000;
const READY_TRIES_MAX = 1_200;
const READY_POLL_MS = 50;

/** A PostgreSQL installed on the machine, with its own settings. */
export interface OutsidePostgres {
  readonly version: number;
  readonly user: string;
  readonly password: string;
  readonly port: number;
  /** Folder of the socket, for connections without a password. */
  readonly socketFolder: string;
  url(database: string): string;
  query(database: string, text: string): Promise<Record<string, unknown>[]>;
  /** Runs one of its programs, such as pg_dump, against this server. */
  run(program: string, args: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Programs folder of an installed PostgreSQL 15 or newer. Installs Debian's package if it may; otherwise
 * returns a sentence that says what to do.
 */
export async function findPostgres(): Promise<{ bin: string } | { missing: string }> {
  const found = await installed();
  if (found) return { bin: found };
  const command = INSTALL.join(" ");
  if (process.getuid?.() !== 0 || !(await exists("/usr/bin/apt-get"))) {
    return { missing: `no PostgreSQL ${VERSION_OLDEST} or newer is installed; run: ${command}` };
  }
  console.error(`Installing PostgreSQL for the tests: ${command} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    await run("apt-get", ["update"], { env, timeout: INSTALL_MS_MAX });
    await run(INSTALL[0], INSTALL.slice(1), { env, timeout: INSTALL_MS_MAX });
  } catch (error) {
    return { missing: `PostgreSQL could not be installed (${command}): ${String(error)}` };
  }
  const bin = await installed();
  return bin ? { bin } : { missing: `${command} brought no PostgreSQL ${VERSION_OLDEST} or newer` };
}

async function installed(): Promise<string | null> {
  const versions = await readdir(VERSIONS_FOLDER).catch(() => []);
  const folders = versions.map((version) => join(VERSIONS_FOLDER, version, "bin"));
  const configured = await run("pg_config", ["--bindir"]).catch(() => null);
  if (configured) folders.push(configured.stdout.trim());
  for (const folder of folders) {
    // pg_config comes with the clients, too; this needs a server.
    const answer = await run(join(folder, "postgres"), ["--version"]).catch(() => null);
    const version = Number(/\) (\d+)/.exec(answer?.stdout ?? "")?.[1] ?? 0);
    if (version >= VERSION_OLDEST && (await exists(join(folder, "initdb")))) return folder;
  }
  return null;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Starts a server in a temporary folder, with a password and few connections, as a hosting provider would. */
export async function startOutsidePostgres(
  bin: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<OutsidePostgres> {
  const folder = await mkdtemp(join(tmpdir(), "lw-outside-"));
  const account = await unprivileged();
  if (account) await chown(folder, account.uid, account.gid);
  const user = "owner";
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password);
  const data = join(folder, "data");
  const as = { cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" }, ...account };
  await run(
    join(bin, "initdb"),
    [
      "-D",
      data,
      "-U",
      user,
      "-E",
      "UTF8",
      "--auth-local=trust",
      "--auth-host=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--no-sync",
    ],
    as,
  );
  const port = await freePort();
  const all = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: folder,
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(join(bin, "postgres"), ["-D", data, ...args], { ...as, stdio: "ignore" });
  const ended = once(child, "exit");
  const query = async (database: string, text: string) => {
    const client = new pg.Client({ host: folder, port, user, database });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  await untilReady(() => query("postgres", "select 1"));
  const [row] = await query("postgres", "select current_setting('server_version_num')::int as v");
  return {
    version: Math.floor(Number(row?.["v"]) / 10_000),
    user,
    password,
    port,
    socketFolder: folder,
    url: (database) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    query,
    async run(program, args) {
      const env = {
        PATH: process.env["PATH"] ?? "",
        PGHOST: folder,
        PGPORT: String(port),
        PGUSER: user,
      };
      await run(join(bin, program), args, { env });
    },
    async stop() {
      child.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(attempt: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (tries >= READY_TRIES_MAX) throw error;
      await sleep(READY_POLL_MS);
    }
  }
}

/** System user for PostgreSQL, which does not run as root. */
export async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const entry = ["postgres", "nobody"].flatMap((name) => lines.filter(([own]) => own === name))[0];
  return entry ? { uid: Number(entry[2]), gid: Number(entry[3]) } : undefined;
}
