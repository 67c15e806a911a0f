import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type Account, firstBarrier, parsePasswd, runsAsRoot } from "./account.ts";
import { DataFolderBusy, EmbeddedFailure, type EmbeddedPostgres, startEmbedded } from "./index.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

let root = "";
let binariesDir = "";
const children = new Set<ChildProcess>();
const servers = new Set<EmbeddedPostgres>();

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "lw-")));
  await chmod(root, 0o755);
  binariesDir = join(root, "binaries");
  await writeFile(join(root, "child.mts"), childProgram);
});

after(async () => {
  for (const server of servers) await server.stop();
  for (const child of children) child.kill("SIGKILL");
  for (const pid of await serverProcesses(root)) process.kill(pid, "SIGKILL");
  await rm(root, { recursive: true, force: true, maxRetries: 10 });
});

/** A Longwave of its own, as far as the database goes: starts it, says so, and waits to be ended. */
const childProgram = `
import { startEmbedded } from ${JSON.stringify(new URL("index.ts", import.meta.url).href)};
const [dataDir, binariesDir] = process.argv.slice(2);
try {
  const server = await startEmbedded({
    dataDir,
    ...(binariesDir && { binariesDir }),
    progress: (line) => console.log("progress " + line),
  });
  console.log("ready " + JSON.stringify(server.connection));
  process.stdin.resume();
  process.stdin.on("end", async () => { await server.stop(); console.log("stopped"); });
} catch (error) {
  console.log("failed " + error.name + ": " + error.message);
}
`;

interface Child {
  readonly process: ChildProcess;
  /** The first line that begins with the word, without it. */
  line(word: string): Promise<string>;
}

function startChild(dataDir: string, options: { account?: Account; own?: boolean } = {}): Child {
  const args = ["--import", "tsx", "--conditions=@longwave/source", join(root, "child.mts")];
  const child = spawn(process.execPath, [...args, dataDir, ...(options.own ? [] : [binariesDir])], {
    cwd: here,
    stdio: ["pipe", "pipe", "inherit"],
    ...(options.account && { uid: options.account.uid, gid: options.account.gid }),
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  const lines = createInterface(child.stdout);
  const seen: string[] = [];
  lines.on("line", (line) => seen.push(line));
  return {
    process: child,
    line: async (word) => {
      for (;;) {
        const found = seen.find((line) => line.startsWith(`${word} `) || line === word);
        if (found !== undefined) return found.slice(word.length + 1);
        const ended = once(lines, "close").then(() => true);
        if (await Promise.race([once(lines, "line").then(() => false), ended])) {
          throw new Error(`the child ended without saying ${word}: ${seen.join(" | ")}`);
        }
      }
    },
  };
}

async function killHard(child: Child): Promise<void> {
  const gone = once(child.process, "exit");
  child.process.kill("SIGKILL");
  await gone;
}

async function start(
  dataDir: string,
  options: { settings?: Record<string, string>; progress?: (line: string) => void } = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dataDir, binariesDir, ...options });
  servers.add(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function remember(server: EmbeddedPostgres, word: string): Promise<void> {
  await query(server, "create table if not exists words (word text)");
  await query(server, `insert into words values ('${word}')`);
}

async function words(server: EmbeddedPostgres): Promise<unknown[]> {
  return (await query(server, "select word from words order by word")).map((row) => row["word"]);
}

async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

/** Every process whose command line or working folder lies under the path. */
async function serverProcesses(path: string): Promise<number[]> {
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

const onlyLinux = process.platform === "linux" ? false : "needs /proc";
const onlyRoot = runsAsRoot() ? onlyLinux : "needs root";

async function accountNamed(name: string): Promise<Account> {
  const found = parsePasswd(await readFile("/etc/passwd", "utf8")).find((a) => a.name === name);
  assert.ok(found, `no account ${name}`);
  return found;
}

describe("one data folder", { skip: onlyLinux }, () => {
  let data = "";
  before(() => {
    data = join(root, "one");
  });

  test("the first start makes a durable, private database and stop leaves no process", async () => {
    const lines: string[] = [];
    const server = await start(data, { progress: (line) => lines.push(line) });
    assert.deepEqual(lines, [`creating a new database in ${data}`]);
    const [settings] = await query(
      server,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
              current_setting('synchronous_commit') as synchronous_commit,
              current_setting('listen_addresses') as listen_addresses,
              current_setting('server_encoding') as encoding, current_setting('timezone') as timezone,
              current_setting('data_checksums') as data_checksums,
              datlocprovider::text as provider, datlocale as locale
         from pg_database where datname = current_database()`,
    );
    assert.deepEqual(settings, {
      fsync: "on",
      full_page_writes: "on",
      synchronous_commit: "on",
      listen_addresses: "",
      encoding: "UTF8",
      timezone: "UTC",
      data_checksums: "on",
      provider: "b",
      locale: "C.UTF-8",
    });
    assert.equal(server.connection.host, join(data, "postgres/run"));
    for (const folder of ["postgres", "postgres/run", "postgres/cluster"]) {
      const { mode, uid } = await stat(join(data, folder));
      assert.equal(mode & 0o777, 0o700, folder);
      assert.notEqual(uid, 0, folder);
    }
    await remember(server, "first");
    await server.stop();
    await server.stop();
    assert.deepEqual(await serverProcesses(data), []);
    assert.deepEqual(await readdir(join(data, "postgres/run")), []);
  });

  test("a later start finds the data", async () => {
    const server = await start(data);
    assert.deepEqual(await words(server), ["first"]);
    await server.stop();
  });

  test("settings replace the launcher's, but not those it relies on", async () => {
    const server = await start(data, { settings: { work_mem: "7MB", listen_addresses: "*" } });
    const [row] = await query(
      server,
      "select current_setting('work_mem') as a, current_setting('listen_addresses') as b",
    );
    assert.deepEqual(row, { a: "7MB", b: "" });
    await server.stop();
  });

  test("a second copy is refused with one line, and the first goes on", async () => {
    const server = await start(data);
    const line = `The data folder ${data} is in use by another Longwave (process ${process.pid}): stop that one first, or set LONGWAVE_DATA to another folder.`;
    await assert.rejects(start(data), (error) => {
      assert.ok(error instanceof DataFolderBusy);
      assert.equal(error.message, line);
      return true;
    });
    assert.equal(await startChild(data).line("failed"), `DataFolderBusy: ${line}`);
    assert.deepEqual(await words(server), ["first"]);
    await server.stop();
  });

  test("of many starts at the same time exactly one goes on", async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => start(data)));
    const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    assert.equal(won.length, 1);
    for (const result of results) {
      if (result.status === "fulfilled") continue;
      assert.ok(result.reason instanceof DataFolderBusy, String(result.reason));
    }
    await won[0]?.stop();
  });

  test("a killed Longwave leaves its PostgreSQL to the next one", async () => {
    const child = startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await killHard(child);
    const server = await start(data);
    assert.equal(await postmasterPid(data), left);
    await remember(server, "adopted");
    await server.stop();
    assert.deepEqual(await serverProcesses(data), []);
  });

  test("one left with other settings is started anew", async () => {
    const child = startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await killHard(child);
    const server = await start(data, { settings: { work_mem: "7MB" } });
    assert.notEqual(await postmasterPid(data), left);
    assert.deepEqual(await query(server, "show work_mem"), [{ work_mem: "7MB" }]);
    await server.stop();
  });

  test("one that does not answer is started anew", async () => {
    const child = startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await killHard(child);
    process.kill(left, "SIGSTOP");
    const started = start(data);
    // The launcher gives a stopped process its time; the test need not wait for the end of it.
    await sleep(500);
    process.kill(left, "SIGKILL");
    const server = await started;
    assert.notEqual(await postmasterPid(data), left);
    assert.deepEqual(await words(server), ["adopted", "first"]);
    await server.stop();
  });

  test("PostgreSQL is started again when it is killed, even with a busy session left", async () => {
    const restarted: string[] = [];
    const server = await start(data, { progress: (line) => restarted.push(line) });
    await remember(server, "killed");
    const busy = new pg.Client(server.connection);
    busy.on("error", () => undefined);
    await busy.connect();
    const endless = busy.query("do $$ begin loop end loop; end $$").catch(() => "ended");
    const killed = await postmasterPid(data);
    process.kill(killed, "SIGKILL");
    assert.equal(await endless, "ended");
    const found = await eventually(() => words(server));
    assert.deepEqual(found, ["adopted", "first", "killed"]);
    assert.notEqual(await postmasterPid(data), killed);
    assert.deepEqual(restarted, ["PostgreSQL ended unexpectedly; starting it again"]);
    await server.stop();
    assert.deepEqual(await serverProcesses(data), []);
  });

  test("a start after everything was killed finds the data", async () => {
    const child = startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await killHard(child);
    process.kill(left, "SIGKILL");
    const server = await start(data);
    assert.deepEqual(await words(server), ["adopted", "first", "killed"]);
    await server.stop();
  });

  test("a process id that now belongs to another program does not keep it from starting", async () => {
    const server = await start(data);
    const killed = await postmasterPid(data);
    const file = join(data, "postgres/cluster/postmaster.pid");
    const text = await readFile(file, "utf8");
    await server.stop();
    const { uid, gid } = await stat(join(data, "postgres/cluster"));
    const other = spawn("sleep", ["60"], { stdio: "ignore", uid, gid });
    children.add(other);
    await once(other, "spawn");
    await writeFile(file, text.replace(String(killed), String(other.pid)));
    await chown(file, uid, gid);
    const again = await start(data);
    assert.equal((await words(again)).length, 3);
    assert.equal(other.exitCode, null);
    await again.stop();
    other.kill("SIGKILL");
  });

  test("the log is bounded", async () => {
    const log = join(data, "postgres.log");
    await appendFile(log, "x".repeat(5 * 1024 * 1024));
    const server = await start(data);
    assert.ok((await stat(log)).size < 1024 * 1024);
    assert.ok((await stat(`${log}.1`)).size > 5 * 1024 * 1024);
    await server.stop();
  });
});

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 300) throw error;
      await sleep(100);
    }
  }
}

describe("other folders", { skip: onlyLinux }, () => {
  test("a path that is too long for a socket", async () => {
    const data = join(root, "long-".repeat(12), "long-".repeat(12));
    const server = await start(data);
    assert.ok(server.connection.host.length < 60, server.connection.host);
    assert.equal((await stat(server.connection.host)).mode & 0o777, 0o700);
    await assert.rejects(start(data), DataFolderBusy);
    await remember(server, "far");
    await server.stop();
    const again = await start(data);
    assert.deepEqual(await words(again), ["far"]);
    assert.equal(again.connection.host, server.connection.host);
    await again.stop();
    await rm(server.connection.host, { recursive: true });
  });

  test("a start that is killed while it creates the database", async () => {
    const data = join(root, "half");
    const child = startChild(data);
    await child.line("progress");
    await eventually(async () => {
      const names = await readdir(join(data, "postgres"));
      const half = names.find((name) => name.startsWith("cluster.new-"));
      await stat(join(data, "postgres", half ?? "not yet", "base"));
    });
    await killHard(child);
    const server = await start(data);
    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
    await server.stop();
    assert.deepEqual((await readdir(join(data, "postgres"))).sort(), ["cluster", "run"]);
  });

  test("an account without rights, in a folder of its own", { skip: onlyRoot }, async (t) => {
    const nobody = await accountNamed("nobody");
    const barrier = await firstBarrier(here, nobody);
    if (barrier !== undefined) return t.skip(`nobody may not enter ${barrier}`);
    const data = join(root, "plain");
    await mkdir(data);
    await chown(data, nobody.uid, nobody.gid);
    for (const round of [1, 2]) {
      const child = startChild(data, { account: nobody, own: true });
      const { host } = JSON.parse(await child.line("ready"));
      assert.equal(host, join(data, "postgres/run"));
      assert.equal((await stat(join(data, "postgres/cluster"))).uid, nobody.uid);
      if (round === 1) await killHard(child);
      else {
        child.process.stdin?.end();
        await child.line("stopped");
      }
    }
    assert.deepEqual(await serverProcesses(data), []);
    // Root goes on with the same account, whichever it would have chosen for a new folder.
    const server = await start(data);
    assert.equal((await stat(join(data, "postgres/cluster"))).uid, nobody.uid);
    await server.stop();
  });

  test("a folder that this account cannot use", { skip: onlyRoot }, async (t) => {
    const nobody = await accountNamed("nobody");
    const barrier = await firstBarrier(here, nobody);
    if (barrier !== undefined) return t.skip(`nobody may not enter ${barrier}`);
    const data = join(root, "closed");
    await mkdir(data, { mode: 0o700 });
    assert.equal(
      await startChild(data, { account: nobody }).line("failed"),
      `EmbeddedFailure: The data folder ${data} cannot be read and written by this account: give it to the account that runs Longwave, or set LONGWAVE_DATA to another folder.`,
    );
  });

  test("root's data in a folder that only root may enter", { skip: onlyRoot }, async () => {
    const closed = join(root, "only-root");
    const data = join(closed, "data");
    await mkdir(closed, { mode: 0o700 });
    const server = await start(data);
    const home = await realpath(join(data, "postgres"));
    assert.match(home, /^\/var\/lib\/longwave\/postgres-\w+$/);
    await remember(server, "elsewhere");
    await assert.rejects(start(data), DataFolderBusy);
    await server.stop();
    const again = await start(data);
    assert.deepEqual(await words(again), ["elsewhere"]);
    await again.stop();
    assert.equal((await stat(closed)).mode & 0o777, 0o700);
    await rm(home, { recursive: true });
    await assert.rejects(start(data), /points to is missing: put it back/);
    await rmdir("/var/lib/longwave").catch(() => undefined);
  });

  test("a file in place of the folder", async () => {
    const data = join(root, "file");
    await writeFile(data, "");
    await assert.rejects(start(data), (error) => {
      assert.ok(error instanceof EmbeddedFailure);
      assert.match(error.message, /a file stands in its place/);
      return true;
    });
  });
});
