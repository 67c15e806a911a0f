import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  eventually,
  onlyLinux,
  openWorkshop,
  postmasterPid,
  processesUnder,
  query,
  remember,
  type Workshop,
  words,
} from "../../../../testing/embedded.ts";
import { DataFolderBusy } from "./index.ts";

describe("embedded PostgreSQL", { skip: onlyLinux }, () => {
  let workshop: Workshop;
  let data = "";
  before(async () => {
    workshop = await openWorkshop();
    data = join(workshop.root, "one");
  });
  after(() => workshop.close());

  test("the first start creates a durable, private database, and stop leaves no process", async () => {
    const lines: string[] = [];
    const server = await workshop.start(data, { progress: (line) => lines.push(line) });
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
    assert.deepEqual(await processesUnder(data), []);
    assert.deepEqual(await readdir(join(data, "postgres/run")), []);
  });

  test("a later start finds the data", async () => {
    const server = await workshop.start(data);
    assert.deepEqual(await words(server), ["first"]);
    await server.stop();
  });

  test("settings replace the launcher's, except those it relies on", async () => {
    const server = await workshop.start(data, {
      settings: { work_mem: "7MB", listen_addresses: "*" },
    });
    const [row] = await query(
      server,
      "select current_setting('work_mem') as a, current_setting('listen_addresses') as b",
    );
    assert.deepEqual(row, { a: "7MB", b: "" });
    await server.stop();
  });

  test("refuses a second Longwave with one line, and the first continues", async () => {
    const server = await workshop.start(data);
    const line = `The data folder ${data} is in use by another Longwave (process ${process.pid}): stop that one first, or set LONGWAVE_DATA to another folder.`;
    await assert.rejects(workshop.start(data), (error) => {
      assert.ok(error instanceof DataFolderBusy);
      assert.equal(error.message, line);
      return true;
    });
    assert.equal(await workshop.startChild(data).line("failed"), `DataFolderBusy: ${line}`);
    assert.deepEqual(await words(server), ["first"]);
    await server.stop();
  });

  test("exactly one of many concurrent starts proceeds", async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => workshop.start(data)));
    const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    assert.equal(won.length, 1);
    for (const result of results) {
      if (result.status === "fulfilled") continue;
      assert.ok(result.reason instanceof DataFolderBusy, String(result.reason));
    }
    await won[0]?.stop();
  });

  test("a new Longwave adopts the PostgreSQL of a killed one", async () => {
    const child = workshop.startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await child.killHard();
    const server = await workshop.start(data);
    assert.equal(await postmasterPid(data), left);
    await remember(server, "adopted");
    await server.stop();
    assert.deepEqual(await processesUnder(data), []);
  });

  test("restarts an adopted PostgreSQL with other settings", async () => {
    const child = workshop.startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await child.killHard();
    const server = await workshop.start(data, { settings: { work_mem: "7MB" } });
    assert.notEqual(await postmasterPid(data), left);
    assert.deepEqual(await query(server, "show work_mem"), [{ work_mem: "7MB" }]);
    await server.stop();
  });

  test("restarts an adopted PostgreSQL that does not respond", async () => {
    const child = workshop.startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await child.killHard();
    process.kill(left, "SIGSTOP");
    const started = workshop.start(data);
    // The launcher waits for a stopped process to end; the test ends it early.
    await sleep(500);
    process.kill(left, "SIGKILL");
    const server = await started;
    assert.notEqual(await postmasterPid(data), left);
    assert.deepEqual(await words(server), ["adopted", "first"]);
    await server.stop();
  });

  test("restarts a killed PostgreSQL, even with a busy session left", async () => {
    const restarted: string[] = [];
    const server = await workshop.start(data, { progress: (line) => restarted.push(line) });
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
    assert.deepEqual(await processesUnder(data), []);
  });

  test("a start after everything was killed finds the data", async () => {
    const child = workshop.startChild(data);
    await child.line("ready");
    const left = await postmasterPid(data);
    await child.killHard();
    process.kill(left, "SIGKILL");
    const server = await workshop.start(data);
    assert.deepEqual(await words(server), ["adopted", "first", "killed"]);
    await server.stop();
  });

  test("starts despite a reused process id in postmaster.pid", async () => {
    const server = await workshop.start(data);
    const killed = await postmasterPid(data);
    const file = join(data, "postgres/cluster/postmaster.pid");
    const text = await readFile(file, "utf8");
    await server.stop();
    const { uid, gid } = await stat(join(data, "postgres/cluster"));
    const other = spawn("sleep", ["60"], { stdio: "ignore", uid, gid });
    await once(other, "spawn");
    await writeFile(file, text.replace(String(killed), String(other.pid)));
    await chown(file, uid, gid);
    const again = await workshop.start(data);
    assert.equal((await words(again)).length, 3);
    assert.equal(other.exitCode, null);
    await again.stop();
    other.kill("SIGKILL");
  });

  test("limits the size of the log", async () => {
    const log = join(data, "postgres.log");
    await appendFile(log, "x".repeat(5 * 1024 * 1024));
    const server = await workshop.start(data);
    assert.ok((await stat(log)).size < 1024 * 1024);
    assert.ok((await stat(`${log}.1`)).size > 5 * 1024 * 1024);
    await server.stop();
  });
});
