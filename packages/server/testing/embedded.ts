import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import {
  type Account,
  firstBarrier,
  parsePasswd,
  runsAsRoot,
} from "../src/core/db/embedded/account.ts";
import { type EmbeddedPostgres, startEmbedded } from "../src/core/db/embedded/index.ts";
import { nodeArguments } from "./source-process.ts";
import { killIfThere } from "./temporary-folder.ts";
import { until } from "./until.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = fileURLToPath(new URL("./embedded-child.ts", import.meta.url));

/** Reasons to skip, or false. */
export const onlyLinux = process.platform === "linux" ? false : "needs /proc";
export const onlyRoot = runsAsRoot() ? onlyLinux : "needs root";

export interface Child {
  readonly process: ChildProcess;
  /** Waits for the first line that begins with the word, and returns the rest of the line. */
  line(word: string): Promise<string>;
  killHard(): Promise<void>;
}

export interface Workshop {
  /** A short path that every system user may enter, for data folders. */
  readonly root: string;
  /** Starts a PostgreSQL in this process; all folders share the programs. */
  start(dataDir: string, options?: StartOptions): Promise<EmbeddedPostgres>;
  /** Starts a PostgreSQL in a separate process, which a test may kill. */
  startChild(dataDir: string, options?: { account?: Account; ownBinaries?: boolean }): Child;
  /** Stops everything and removes the folder. */
  close(): Promise<void>;
}

interface StartOptions {
  readonly settings?: Record<string, string>;
  readonly progress?: (line: string) => void;
}

/** Fixture of the launcher's tests. */
export async function openWorkshop(): Promise<Workshop> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lw-")));
  await chmod(root, 0o755);
  const binariesDir = join(root, "binaries");
  const children = new Set<ChildProcess>();
  const servers = new Set<EmbeddedPostgres>();
  return {
    root,
    async start(dataDir, options = {}) {
      const server = await startEmbedded({ dataDir, binariesDir, ...options });
      servers.add(server);
      return server;
    },
    startChild(dataDir, options = {}) {
      const binaries = options.ownBinaries ? [] : [binariesDir];
      const args = [...nodeArguments(program), dataDir, ...binaries];
      const child = spawn(process.execPath, args, {
        cwd: here,
        stdio: ["pipe", "pipe", "inherit"],
        ...(options.account && { uid: options.account.uid, gid: options.account.gid }),
      });
      children.add(child);
      return watchChild(child);
    },
    async close() {
      for (const server of servers) await server.stop();
      for (const child of children) child.kill("SIGKILL");
      for (const pid of await processesUnder(root)) killIfThere(pid);
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function watchChild(child: ChildProcess): Child {
  const lines = createInterface(child.stdout ?? process.stdin);
  const seen: string[] = [];
  let closed = false;
  lines.on("line", (line) => seen.push(line));
  lines.on("close", () => {
    closed = true;
  });
  const line = async (word: string): Promise<string> => {
    for (;;) {
      const found = seen.find((text) => text.startsWith(`${word} `) || text === word);
      if (found !== undefined) return found.slice(word.length + 1);
      if (closed) throw new Error(`the child ended without saying ${word}: ${seen.join(" | ")}`);
      await Promise.race([once(lines, "line"), once(lines, "close")]);
    }
  };
  const killHard = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return { process: child, line, killHard };
}

export async function query(
  server: EmbeddedPostgres,
  sql: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.superuser);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Commits a word that `words` returns later. */
export async function remember(server: EmbeddedPostgres, word: string): Promise<void> {
  await query(server, "create table if not exists words (word text)");
  await query(server, `insert into words values ('${word}')`);
}

export async function words(server: EmbeddedPostgres): Promise<unknown[]> {
  return (await query(server, "select word from words order by word")).map((row) => row["word"]);
}

export async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

/** Kills a running postmaster. Its file survives a kill until the next start. */
export function killPostmaster(dataDir: string): Promise<void> {
  return until(async () => {
    // The file may be missing, or created and still empty.
    const pid = await postmasterPid(dataDir).catch(() => 0);
    return pid > 0 && killIfThere(pid);
  });
}

/** Other processes whose working folder is under the path, or that run PostgreSQL on it. */
export async function processesUnder(path: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    const cwd = await realpath(`/proc/${name}/cwd`).catch(() => "");
    if (cwd.startsWith(path) || (command.includes("postgres") && command.includes(path))) {
      found.push(Number(name));
    }
  }
  return found;
}

/** System user `nobody`, or the reason why it cannot run this checkout. */
export async function nobody(): Promise<Account | string> {
  const accounts = parsePasswd(await readFile("/etc/passwd", "utf8"));
  const account = accounts.find((candidate) => candidate.name === "nobody");
  if (account === undefined) return "there is no account nobody";
  const barrier =
    (await firstBarrier(here, account)) ?? (await firstBarrier(process.execPath, account));
  return barrier === undefined ? account : `nobody may not enter ${barrier}`;
}

export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 300) throw error;
      await sleep(100);
    }
  }
}
