import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { endOf, type Program, startProgram } from "../../../testing/program.ts";
import {
  type DrillClient,
  drillClient,
  FROM,
  HELD,
  HOUR_MS,
  READY,
} from "../../../testing/restore-drill.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { until } from "../../../testing/until.ts";

interface Installation {
  readonly url: string;
  readonly client: DrillClient;
}

async function installationIn(folder: string, url: string): Promise<Installation> {
  return { url, client: await drillClient(folder) };
}

const ask = ({ url, client }: Installation, method: string, path: string, body?: object) =>
  client.ask(url, method, path, body);

/** Rows of a folder's embedded database, read as superuser. */
async function rowsIn(folder: string, text: string): Promise<Record<string, unknown>[]> {
  const host = join(folder, "postgres/run");
  const client = new pg.Client({ host, port: 5432, user: "longwave", database: "longwave" });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function command(t: Parameters<typeof startProgram>[0], folder: string, ...args: string[]) {
  const program = startProgram(t, { args, env: { LONGWAVE_DATA: folder } });
  return { code: await endOf(program), program };
}

async function stopped(program: Program): Promise<void> {
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0);
}

test("a backup of a running server restores completely, behind the restore guard, and sends no message twice", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(await temporaryFolder(t), "backup.tar.gz");
  const restored = join(await temporaryFolder(t), "data");
  const env = { PORT: "0", LONGWAVE_TEST_CLOCK: "1" };
  const first = startProgram(t, { env: { ...env, LONGWAVE_DATA: folder } });
  const original = await installationIn(folder, (await first.says(READY))[1] as string);
  const text = { to: "+15005550000", from: FROM, body: "Hello" };
  const dueAt = Date.now() + HOUR_MS;
  const recipients = ["+15005550000", "+15005550001"].map((to) => ({ to }));
  const later = { scheduled_at: dueAt };
  const scheduled = await ask(original, "POST", "/v1/messages", { ...text, ...later });
  assert.equal(scheduled.status, 201, JSON.stringify(scheduled.body));
  const batch = await ask(original, "POST", "/v1/batches", {
    ...{ from: FROM, body: "Hello all", recipients },
    ...later,
  });
  assert.equal(batch.status, 201, JSON.stringify(batch.body));

  // Messages are accepted during the backup; those answered before it began are all included.
  const before: string[] = [];
  const packed = new AbortController();
  const load = (async () => {
    while (!packed.signal.aborted) {
      const sent = await ask(original, "POST", "/v1/messages", text);
      assert.equal(sent.status, 201);
      before.push(sent.body.id);
    }
  })();
  await until(() => before.length > 5);
  const answered = [...before];
  const backup = await command(t, folder, "backup", file);
  packed.abort();
  await load;
  assert.equal(backup.code, 0, backup.program.stderr());
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const again = await command(t, folder, "backup", file);
  assert.equal(again.code, 1);
  assert.match(again.program.stderr(), /is there already: name another file/);

  // The original processes everything that waited.
  const twoHours = { seconds: (2 * HOUR_MS) / 1_000 };
  assert.equal((await ask(original, "POST", "/operator/v1/clock/advance", twoHours)).status, 200);
  const ended = await ask(original, "GET", `/v1/batches/${batch.body.id}`);
  assert.equal(ended.body.counts.sent, 2);
  await stopped(first);

  const brought = await command(t, restored, "restore", file);
  assert.equal(brought.code, 0, brought.program.stderr());
  assert.equal((await command(t, restored, "restore", file)).code, 1, "it is there already");
  const second = startProgram(t, { env: { ...env, LONGWAVE_DATA: restored } });
  const copy = { ...original, url: (await second.says(HELD))[1] as string };
  assert.match(second.stderr(), /On hold: The data folder was made from a backup of 20/);
  const ready503 = await ask(copy, "GET", "/readyz");
  assert.equal(ready503.status, 503);
  assert.match(ready503.body.checks.hold.reason, /made from a backup/);
  const held = await ask(copy, "GET", "/operator/v1/hold");
  assert.equal(held.body.held, true);
  const listed = await ask(copy, "GET", "/operator/v1/hold/texts");
  assert.deepEqual(
    new Set(listed.body.data.map((one: { id: string }) => one.id)),
    new Set([scheduled.body.id, batch.body.id]),
  );
  const refused = await ask(copy, "POST", "/v1/messages", text);
  assert.equal(refused.status, 503);
  assert.match(refused.body.error.message, /nothing is sent or changed until its operator/);
  for (const id of answered) {
    assert.equal((await ask(copy, "GET", `/v1/messages/${id}`)).status, 200, "it was lost");
  }
  const count = "select count(*)::int as texts from messages";
  const [textsHeld] = await rowsIn(restored, count);
  // The restore happens hours later: what waited is overdue.
  await rowsIn(
    restored,
    "update scheduled_messages set scheduled_at = scheduled_at - interval '2 hours'",
  );
  await rowsIn(
    restored,
    "update batches set scheduled_at = scheduled_at - interval '2 hours', due_at = due_at - interval '2 hours'",
  );
  const release = { discard_due_before: new Date().toISOString() };
  const released = await ask(copy, "POST", "/operator/v1/hold/release", release);
  assert.equal(released.status, 200, JSON.stringify(released.body));
  const ready = await installationIn(restored, (await second.says(READY))[1] as string);
  assert.equal((await ask(ready, "POST", "/operator/v1/clock/advance", twoHours)).status, 200);
  const given = await ask(ready, "GET", `/v1/batches/${batch.body.id}`);
  assert.deepEqual([given.body.counts.failed, given.body.counts.sent], [2, 0]);
  assert.deepEqual(await rowsIn(restored, "select status, failure_code from scheduled_messages"), [
    { status: "failed", failure_code: "expired" },
  ]);
  const left = await rowsIn(
    restored,
    "select count(*)::int as texts from messages where status <> 'failed'",
  );
  assert.deepEqual(left, [textsHeld], "nothing that had waited was sent");
  assert.equal((await ask(ready, "POST", "/v1/messages", text)).status, 201);
  await stopped(second);

  // A released installation restarts as usual; one with a database older than its folder remembers does not.
  const stamp = join(restored, "database-seen.json");
  const seen = JSON.parse(await readFile(stamp, "utf8"));
  await writeFile(
    stamp,
    JSON.stringify({ ...seen, lastHeartbeatAtMs: seen.lastHeartbeatAtMs + 60_000 }),
  );
  const third = startProgram(t, { env: { ...env, LONGWAVE_DATA: restored } });
  await third.says(/On hold: The database is older than what this machine last saw of it/);
  await stopped(third);
});
