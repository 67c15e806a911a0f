import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../../testing/free-port.ts";
import { findPostgres } from "../../testing/outside-postgres.ts";
import { folderFor, initialise, serverIn, USER } from "../../testing/postgres-servers.ts";
import { endOf, startProgram, temporaryFolder } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";

const run = promisify(execFile);
const READY = /^Longwave is ready at (http:\S+)$/m;
const HELD = /^What would be sent: GET (http:\S+)\/operator\/v1\/hold and/m;
const FROM = "+15005550100";
const HOUR_MS = 3_600_000;

const available = await findPostgres();
const skip = "missing" in available ? available.missing : false;

// The drill of docs/operations.md, "Backup": the same settings and the same commands.
test("an archive of the log brings a database back to a moment: all before it, nothing after it, on hold", {
  skip,
}, async (t) => {
  if ("missing" in available) return;
  const { bin } = available;
  const { as, ends } = await folderFor(t);
  const archive = join(as.cwd, "archive");
  await mkdir(archive);
  if (as.uid !== undefined) await chown(archive, as.uid, as.gid ?? as.uid);
  const data = join(as.cwd, "data");
  await initialise(bin, data, as);
  const server = serverIn(bin, as.cwd, data, await freePort(), as, {
    archive_mode: "on",
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    archive_timeout: "60",
  });
  ends.push(server.kill);
  await server.start();
  await server.query("postgres", "create database longwave");
  const folder = await temporaryFolder(t);
  const urlAt = (port: number) => `postgres://${USER}@127.0.0.1:${port}/longwave`;
  const env = { PORT: "0", LONGWAVE_DATA: folder };
  const first = startProgram(t, { env: { ...env, DATABASE_URL: urlAt(server.port) } });
  const url = (await first.says(READY))[1] as string;
  const { test_key } = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8"));
  const token = (await readFile(join(folder, "operator-token"), "utf8")).trim();
  const ask = async (at: string, method: string, path: string, body?: object) => {
    const bearer = path.startsWith("/operator") ? token : test_key;
    const answer = await fetch(at + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const send = async (text: string, more: object = {}) => {
    const body = { to: "+15005550000", from: FROM, body: text, ...more };
    const sent = await ask(url, "POST", "/v1/messages", body);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    return sent.body.id as string;
  };

  const early = await send("before the base backup");
  const base = join(as.cwd, "base");
  const source = ["-h", as.cwd, "-p", String(server.port), "-U", USER];
  await run(join(bin, "pg_basebackup"), [...source, "-D", base, "-X", "stream", "-c", "fast"], as);
  const inLog = await send("in the log alone");
  const timed = await send("still to be sent", { scheduled_at: Date.now() + HOUR_MS });
  // The moment to go back to lies between two commits, a second from either.
  await sleep(1_000);
  const [moment] = await server.query("postgres", "select now()::text as moment");
  await sleep(1_000);
  const lost = await send("after the moment");
  await server.query("postgres", "select pg_switch_wal()");
  const segments = async () =>
    (await readdir(archive)).filter((name) => /^[0-9A-F]{24}$/.test(name));
  await until(async () => {
    const [row] = await server.query(
      "postgres",
      "select last_archived_wal from pg_stat_archiver where last_archived_time is not null",
    );
    return (
      (await segments()).includes(String(row?.["last_archived_wal"])) &&
      (await segments()).length > 1
    );
  });
  first.child.kill("SIGTERM");
  assert.equal(await endOf(first), 0);
  await server.kill();

  await writeFile(join(base, "recovery.signal"), "");
  if (as.uid !== undefined) await chown(join(base, "recovery.signal"), as.uid, as.gid ?? as.uid);
  const restored = serverIn(bin, as.cwd, base, await freePort(), as, {
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: String(moment?.["moment"]),
    recovery_target_action: "promote",
  });
  ends.push(restored.kill);
  await restored.start();
  await until(async () => {
    const [row] = await restored.query("postgres", "select pg_is_in_recovery() as waits");
    return row?.["waits"] === false;
  });

  const second = startProgram(t, { env: { ...env, DATABASE_URL: urlAt(restored.port) } });
  const again = (await second.says(HELD))[1] as string;
  assert.match(second.stderr(), /On hold: .*restored/);
  const statusOf = async (id: string) => (await ask(again, "GET", `/v1/messages/${id}`)).status;
  assert.equal(await statusOf(early), 200, "what was in the base backup is there");
  assert.equal(await statusOf(inLog), 200, "what only the log had is there");
  assert.equal(await statusOf(lost), 404, "what came after the moment is not");
  const listed = await ask(again, "GET", "/operator/v1/hold/texts");
  assert.deepEqual(
    listed.body.data.map((one: { id: string }) => one.id),
    [timed],
  );
  const released = await ask(again, "POST", "/operator/v1/hold/release", {
    discard_due_before: null,
  });
  assert.equal(released.status, 200, JSON.stringify(released.body));
  await second.says(READY);
});
