import assert from "node:assert/strict";
import { chown, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres } from "../../../testing/external-postgres.ts";
import { freePort } from "../../../testing/free-port.ts";
import { folderFor, initialise, serverIn, USER } from "../../../testing/postgres-servers.ts";
import { endOf, startProgram } from "../../../testing/program.ts";
import {
  assertBroughtBack,
  baseBackup,
  bringBack,
  drillClient,
  READY,
} from "../../../testing/restore-drill.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { until } from "../../../testing/until.ts";

const available = await findPostgres();
const skip = "missing" in available ? available.missing : false;

// The drill of docs/operations.md, "Backup": the same settings and the same commands.
test("a WAL archive restores a database to a point in time, behind the restore guard", {
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
  const client = await drillClient(folder);
  const beforeBackup = await client.send(url, "before the base backup");
  const base = join(as.cwd, "base");
  await baseBackup(bin, server, base);
  const inLog = await client.send(url, "in the log alone");
  const scheduled = await client.sendLater(url);
  // The target time lies between two commits, a second from either.
  await sleep(1_000);
  const [moment] = await server.query("postgres", "select now()::text as moment");
  await sleep(1_000);
  const afterMoment = await client.send(url, "after the moment");
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

  const restored = serverIn(bin, as.cwd, base, await freePort(), as, {
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: String(moment?.["moment"]),
    recovery_target_action: "promote",
  });
  ends.push(restored.kill);
  await bringBack(restored);

  const second = startProgram(t, { env: { ...env, DATABASE_URL: urlAt(restored.port) } });
  await assertBroughtBack(second, client, { beforeBackup, inLog, scheduled, afterMoment });
});
