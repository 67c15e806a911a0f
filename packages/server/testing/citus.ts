import { access } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { distribute } from "../src/core/db/citus/distribute.ts";
import { APPLICATION, OWNER } from "../src/core/db/embedded/index.ts";
import { fillTemplate, nodesOf, TEMPLATE, type TestCluster, withAdmin } from "./cluster.ts";
import { findPostgres } from "./external-postgres.ts";
import { type StartedServers, startServers } from "./postgres-servers.ts";
import type { Occasion } from "./program.ts";

const WORKERS = 2;
/**
 * Shards of test installations, and of each table on all workers. Few, because a test's database copies all
 * of them.
 */
export const CITUS_TEST_SHARDS = 4;

/** Citus version of the tests; Citus 12 is the oldest that `distribute` supports. */
const HOW_TO_INSTALL =
  "Citus is not installed in the PostgreSQL of this machine. Install version 13.2 for it, as https://docs.citusdata.com/en/stable/installation/multi_node_debian.html says; docs/scale.md says what has to be set then.";

/** Limits for a few databases at once, each with many tables on every node. */
const SETTINGS = {
  shared_preload_libraries: "citus",
  wal_level: "logical",
  max_prepared_transactions: "300",
  max_connections: "300",
  max_worker_processes: "40",
  max_locks_per_transaction: "512",
  fsync: "off",
  full_page_writes: "off",
  "citus.max_background_task_executors": "1",
  "citus.node_connection_timeout": "30000",
  // All nodes are on this machine.
  "citus.node_conninfo": "sslmode=disable",
};

/** Programs folder of a PostgreSQL with Citus, or a sentence that says how to install it. */
export async function findCitus(): Promise<{ bin: string } | { missing: string }> {
  const found = await findPostgres();
  if ("missing" in found) return found;
  const library = join(found.bin, "../lib/citus.so");
  const isThere = await access(library).then(
    () => true,
    () => false,
  );
  return isThere ? found : { missing: HOW_TO_INSTALL };
}

/** A coordinator and the ports of its workers. */
type CitusNodes = Required<Pick<TestCluster, "connection" | "workers">>;

/** Starts a coordinator and workers that are not connected yet. The coordinator is the first server. */
export async function startCitus(
  t: Occasion,
  bin: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<CitusNodes & Pick<StartedServers, "servers" | "ends">> {
  const all = { ...SETTINGS, ...settings };
  const { servers, ends, socketFolder, user } = await startServers(t, bin, WORKERS + 1, all);
  const [port = 0, ...workers] = servers.map((server) => server.port);
  return { connection: { host: socketFolder, port, user }, workers, servers, ends };
}

/** Creates an empty distributed database on the coordinator and every worker. */
export async function makeCitusDatabase(
  nodes: Pick<TestCluster, "connection" | "workers"> & Partial<Pick<TestCluster, "roles">>,
  name: string,
): Promise<void> {
  const [coordinator, ...workers] = nodesOf(nodes);
  const owned = nodes.roles ? ` owner ${nodes.roles.owner}` : "";
  for (const node of nodesOf(nodes)) {
    await withAdmin(node, (admin) => admin.query(`create database ${name}${owned}`));
    await withAdmin(node, (admin) => admin.query("create extension citus"), name);
  }
  const known = [
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator?.connection.port})`,
    ...workers.map(({ connection }) => `select citus_add_node('127.0.0.1', ${connection.port})`),
  ];
  for (const text of known) {
    await withAdmin(nodes, (admin) => admin.query(text), name);
  }
}

/** Starts a Citus cluster whose template tests clone on every node, with the same two roles as one PostgreSQL. */
export async function startCitusCluster(t: Occasion, bin: string): Promise<TestCluster> {
  const { connection, workers } = await startCitus(t, bin);
  const roles = { owner: OWNER, application: APPLICATION };
  for (const node of nodesOf({ connection, workers })) {
    for (const role of [OWNER, APPLICATION]) {
      await withAdmin(node, (admin) => admin.query(`create role ${role} login`));
    }
  }
  await makeCitusDatabase({ connection, workers, roles }, TEMPLATE);
  const filled = await fillTemplate(connection, roles);
  const shards = CITUS_TEST_SHARDS;
  await withAdmin(
    { connection: { ...connection, user: OWNER } },
    (client) => distribute({ client, shards, print: () => {} }),
    TEMPLATE,
  );
  const cluster = { ...filled, workers };
  for (const node of nodesOf(cluster)) await withAdmin(node, closeTemplate);
  return cluster;
}

/**
 * Disconnects everybody from the template: PostgreSQL copies only unused databases, and Citus keeps a daemon
 * in each.
 */
async function closeTemplate(admin: pg.Client): Promise<void> {
  await admin.query(`alter database ${TEMPLATE} with allow_connections false`);
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`,
  );
}
