import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chown, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { findCitus, makeCitusDatabase, startCitus } from "../../../testing/citus.ts";
import { type Server, serverIn, USER } from "../../../testing/postgres-servers.ts";
import { endOf, startProgram, temporaryFolder } from "../../../testing/program.ts";
import { until } from "../../../testing/until.ts";

const run = promisify(execFile);
const READY = /^Longwave is ready at (http:\S+)$/m;
const HELD = /^What would be sent: GET (http:\S+)\/operator\/v1\/hold and/m;
const DATABASE = "longwave";
const POINT = "before_the_fault";
const FROM = "+15005550100";
const HOUR_MS = 3_600_000;
/** Each node keeps the log in a folder beside its own. */
const ARCHIVED = {
  archive_mode: "on",
  archive_command: 'mkdir -p "$PWD-archive" && cp %p "$PWD-archive/%f"',
};

// The drill of docs/scale.md: the same statements and the same settings.
test("a Citus is brought back to one moment on all of its nodes, and starts on hold", async (t) => {
  const found = await findCitus();
  if ("missing" in found) return t.skip(found.missing);
  const { bin } = found;
  const nodes = await startCitus(t, bin, ARCHIVED);
  await makeCitusDatabase(nodes, DATABASE);
  const folder = await temporaryFolder(t);
  const program = () =>
    startProgram(t, {
      env: {
        DATABASE_URL: `postgres://${USER}@127.0.0.1:${nodes.connection.port}/${DATABASE}`,
        LONGWAVE_DATA: folder,
        LONGWAVE_SHARDS: "4",
        PORT: "0",
      },
    });
  const first = program();
  const at = (await first.says(READY))[1] as string;
  const { ask, send } = await clientOf(folder);
  const early = await send(at, "before the base backup");
  for (const server of nodes.servers) await backUp(bin, server);
  const inLog = await send(at, "in the log alone");
  const timed = await send(at, "still to be sent", { scheduled_at: Date.now() + HOUR_MS });
  const [coordinator] = nodes.servers as [Server];
  await coordinator.query(DATABASE, `select citus_create_restore_point('${POINT}')`);
  const lost = await send(at, "after the moment");
  await untilSeenAfter(folder, Date.now());
  for (const server of nodes.servers) await untilArchived(server);
  first.child.kill("SIGTERM");
  assert.equal(await endOf(first), 0);
  for (const server of nodes.servers) await server.kill();
  const restored = nodes.servers.map((server) => copyOf(bin, server));
  // Registered last, they would be ended after their folder is gone.
  nodes.ends.push(...restored.map(({ kill }) => kill));
  for (const server of restored) await bringBack(server);

  const second = program();
  const again = (await second.says(HELD))[1] as string;
  assert.match(second.stderr(), /On hold: .*restored/);
  const statusOf = async (id: string) => (await ask(again, "GET", `/v1/messages/${id}`)).status;
  assert.equal(await statusOf(early), 200, "what was in the base backups is there");
  assert.equal(await statusOf(inLog), 200, "what only the logs had is there");
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
  await send((await second.says(READY))[1] as string, "after the release");
});

async function clientOf(folder: string) {
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
  const send = async (at: string, text: string, more: object = {}) => {
    const body = { to: "+15005550000", from: FROM, body: text, ...more };
    const sent = await ask(at, "POST", "/v1/messages", body);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    return sent.body.id as string;
  };
  return { ask, send };
}

/** Until the data folder has seen the database at a later moment: that is what a restored one is compared with. */
async function untilSeenAfter(folder: string, ms: number): Promise<void> {
  await until(async () => {
    const seen = JSON.parse(await readFile(join(folder, "database-seen.json"), "utf8"));
    return seen.beatenAtMs > ms;
  }, 30_000);
}

const baseOf = ({ data }: Server) => `${data}-base`;

async function backUp(bin: string, server: Server): Promise<void> {
  const { as, port } = server;
  const source = ["-h", as.cwd, "-p", String(port), "-U", USER];
  const target = ["-D", baseOf(server), "-X", "stream", "-c", "fast"];
  await run(join(bin, "pg_basebackup"), [...source, ...target], as);
}

/** Until all that was written so far is in the archive. */
async function untilArchived(server: Server): Promise<void> {
  const [row] = await server.query(
    "postgres",
    "select pg_walfile_name(pg_switch_wal()) as last_written",
  );
  const last = String(row?.["last_written"]);
  await until(async () => {
    const [archiver] = await server.query(
      "postgres",
      "select last_archived_wal from pg_stat_archiver",
    );
    return String(archiver?.["last_archived_wal"] ?? "") >= last;
  }, 30_000);
}

/** A node of its own base backup and its own log, on the port that the others know it by. */
function copyOf(bin: string, server: Server): Server {
  const { as, port, settings } = server;
  return serverIn(bin, as.cwd, baseOf(server), port, as, {
    ...settings,
    restore_command: `cp ${server.data}-archive/%f %p`,
    recovery_target_name: POINT,
    recovery_target_action: "promote",
  });
}

async function bringBack({ as, data, start, query }: Server): Promise<void> {
  const signal = join(data, "recovery.signal");
  await writeFile(signal, "");
  if (as.uid !== undefined) await chown(signal, as.uid, as.gid ?? as.uid);
  await start();
  await until(async () => {
    const [row] = await query("postgres", "select pg_is_in_recovery() as waits");
    return row?.["waits"] === false;
  }, 30_000);
}
