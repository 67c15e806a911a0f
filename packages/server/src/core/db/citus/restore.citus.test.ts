import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findCitus, makeCitusDatabase, startCitus } from "../../../../testing/citus.ts";
import { type Server, serverIn, USER } from "../../../../testing/postgres-servers.ts";
import { endOf, startProgram } from "../../../../testing/program.ts";
import {
  assertBroughtBack,
  baseBackup,
  bringBack,
  drillClient,
  READY,
} from "../../../../testing/restore-drill.ts";
import { temporaryFolder } from "../../../../testing/temporary-folder.ts";
import { until } from "../../../../testing/until.ts";

const DATABASE = "longwave";
const POINT = "before_the_fault";
/** Each node archives its WAL in a folder beside its own. */
const ARCHIVED = {
  archive_mode: "on",
  archive_command: 'mkdir -p "$PWD-archive" && cp %p "$PWD-archive/%f"',
};

// The drill of docs/scale.md, with the same statements and settings.
test("point-in-time recovery of all Citus nodes, which starts with the restore guard", async (t) => {
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
  const client = await drillClient(folder);
  const beforeBackup = await client.send(at, "before the base backup");
  for (const server of nodes.servers) await baseBackup(bin, server, baseOf(server));
  const inLog = await client.send(at, "in the log alone");
  const scheduled = await client.sendLater(at);
  const [coordinator] = nodes.servers as [Server];
  await coordinator.query(DATABASE, `select citus_create_restore_point('${POINT}')`);
  const afterMoment = await client.send(at, "after the moment");
  await untilSeenAfter(folder, Date.now());
  for (const server of nodes.servers) await untilArchived(server);
  first.child.kill("SIGTERM");
  assert.equal(await endOf(first), 0);
  for (const server of nodes.servers) await server.kill();
  const restored = nodes.servers.map((server) => copyOf(bin, server));
  // Registered last: otherwise they would end after their folder is gone.
  nodes.ends.push(...restored.map(({ kill }) => kill));
  for (const server of restored) await bringBack(server);

  const sent = { beforeBackup, inLog, scheduled, afterMoment };
  await client.send(await assertBroughtBack(program(), client, sent), "after the release");
});

/**
 * Waits until the data folder has recorded a later heartbeat, which the restored database is compared with.
 */
async function untilSeenAfter(folder: string, ms: number): Promise<void> {
  await until(async () => {
    const seen = JSON.parse(await readFile(join(folder, "database-seen.json"), "utf8"));
    return seen.lastHeartbeatAtMs > ms;
  }, 30_000);
}

const baseOf = ({ data }: Server) => `${data}-base`;

/** Waits until the WAL written so far is archived. */
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

/** A node restored from its base backup and WAL, on the port that the other nodes know. */
function copyOf(bin: string, server: Server): Server {
  const { as, port, settings } = server;
  return serverIn(bin, as.cwd, baseOf(server), port, as, {
    ...settings,
    restore_command: `cp ${server.data}-archive/%f %p`,
    recovery_target_name: POINT,
    recovery_target_action: "promote",
  });
}
