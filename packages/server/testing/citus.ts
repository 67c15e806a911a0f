import { access } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { distribute } from "../src/db/citus/distribute.ts";
import { fillTemplate, nodesOf, TEMPLATE, type TestCluster, withAdmin } from "./cluster.ts";
import { findPostgres } from "./outside-postgres.ts";
import { type Server, startServers } from "./postgres-servers.ts";
import type { Occasion } from "./program.ts";

const WORKERS = 2;
/** Of the installations that tests make, and so of each table on all workers: few, because a test's database is a copy of all. */
export const CITUS_TEST_SHARDS = 4;

export const HOW_TO_INSTALL = `Citus is not installed. Build it from its source against the PostgreSQL that is (about 6 minutes on two cores):
  apt-get install --no-install-recommends postgresql-server-dev-15 build-essential liblz4-dev libzstd-dev libicu-dev
  git clone --branch v13.2.2 --depth 1 https://github.com/citusdata/citus && cd citus
  ./configure --without-libcurl && make -j2 && make install`;

/** The programs of a PostgreSQL that has Citus, or the sentence that says how to get it. */
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

/** A coordinator and its workers. */
export interface CitusServers {
  readonly connection: { host: string; port: number; user: string };
  readonly coordinator: Server;
  readonly workers: readonly Server[];
}

export async function startCitus(t: Occasion, bin: string): Promise<CitusServers> {
  const { servers, socketFolder, user } = await startServers(t, bin, WORKERS + 1, {
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
    // All of them are on this machine.
    "citus.node_conninfo": "sslmode=disable",
  });
  const [coordinator, ...workers] = servers as [Server, ...Server[]];
  return {
    connection: { host: socketFolder, port: coordinator.port, user },
    coordinator,
    workers,
  };
}

/** An empty database that Citus knows: on the coordinator and on every worker. */
export async function makeCitusDatabase(servers: CitusServers, name: string): Promise<void> {
  const { coordinator, workers } = servers;
  for (const server of [coordinator, ...workers]) {
    await server.query("postgres", `create database ${name}`);
    await server.query(name, "create extension citus");
  }
  await coordinator.query(
    name,
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
  );
  for (const { port } of workers) {
    await coordinator.query(name, `select citus_add_node('127.0.0.1', ${port})`);
  }
}

/** A Citus whose databases tests clone, as they do on one PostgreSQL: the same copy on every node. */
export async function startCitusCluster(t: Occasion, bin: string): Promise<TestCluster> {
  const servers = await startCitus(t, bin);
  await makeCitusDatabase(servers, TEMPLATE);
  const filled = await fillTemplate(servers.connection);
  const client = new pg.Client({ ...servers.connection, database: TEMPLATE });
  await client.connect();
  try {
    await distribute({ client, shards: CITUS_TEST_SHARDS, print: () => {} });
  } finally {
    await client.end();
  }
  const cluster = { ...filled, workers: servers.workers.map(({ port }) => port) };
  for (const node of nodesOf(cluster)) await withAdmin(node, closeTemplate);
  return cluster;
}

/** A database can be copied while nobody is in it; Citus keeps a daemon in each that it knows. */
async function closeTemplate(admin: pg.Client): Promise<void> {
  await admin.query(`alter database ${TEMPLATE} with allow_connections false`);
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`,
  );
}
