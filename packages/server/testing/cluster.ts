import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openDatabase } from "../src/core/db/driver/database.ts";
import { APPLICATION, OWNER, startEmbedded } from "../src/core/db/embedded/index.ts";
import { migrate } from "../src/core/db/schema/migrate.ts";
import { maintainPartitions } from "../src/core/db/schema/partitions.ts";
import { systemClock } from "../src/core/platform/clock.ts";
import { createLog } from "../src/core/platform/log.ts";
import { nodeArguments, ROOT } from "./source-process.ts";
import { until } from "./until.ts";

/** The PostgreSQL that tests clone their databases on, and the migrated database they clone. */
export interface TestCluster {
  readonly connection: { host: string; port: number; user: string };
  readonly template: string;
  /** The roles of an installation; where there are none, one role does everything. */
  readonly roles: { readonly owner: string; readonly application: string } | null;
  /** Ports of the workers, where it is the coordinator of a Citus: each has a part of every database. */
  readonly workers?: readonly number[];
}

export const TEMPLATE = "longwave_template";
const CLUSTER_VARIABLE = "LONGWAVE_TEST_CLUSTER";

let own: Promise<TestCluster> | null = null;

/** The cluster that `npm test` started, or one of this process's own when a file runs alone. */
export function testCluster(): Promise<TestCluster> {
  const given = process.env[CLUSTER_VARIABLE];
  if (given) return Promise.resolve(JSON.parse(given) as TestCluster);
  own ??= startOwn();
  return own;
}

async function startOwn(): Promise<TestCluster> {
  const { cluster, stop } = await startCluster();
  // node:test waits for nothing after the last test, so the cluster ends with the process.
  process.once("beforeExit", () => void stop());
  return cluster;
}

/** Makes the migrated database that tests clone, on any PostgreSQL. */
export async function prepareTemplate(
  connection: TestCluster["connection"],
  roles: TestCluster["roles"] = null,
): Promise<TestCluster> {
  const owned = roles ? ` owner ${roles.owner}` : "";
  await withAdmin({ connection }, (admin) => admin.query(`create database ${TEMPLATE}${owned}`));
  return fillTemplate(connection, roles);
}

/** The same in a database that is there, empty. */
export async function fillTemplate(
  connection: TestCluster["connection"],
  roles: TestCluster["roles"] = null,
): Promise<TestCluster> {
  const owner = { ...connection, user: roles?.owner ?? connection.user, database: TEMPLATE };
  await migrate(owner, () => {}, roles?.application ?? null);
  await makePartitions(owner);
  if (roles) await shareTables({ ...connection, database: TEMPLATE }, roles.application);
  return { connection, template: TEMPLATE, roles };
}

/**
 * No test cuts the machine's power, and pages in the system's cache survive a killed process: fsync
 * would take a fifth of the suite's time. Tests of crash recovery start a durable cluster.
 */
const NOT_DURABLE = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  // No replica reads this WAL. A clone takes 21 instead of 25 ms of a core; cloning its files saves nothing more.
  wal_level: "minimal",
  max_wal_senders: "0",
};

/**
 * Every database that is made or dropped scans the buffers several times. With an eighth of the machine's memory
 * that was a quarter of PostgreSQL's processor time. Databases live for seconds, too short for autovacuum.
 */
const SHORT_LIVED = { shared_buffers: "128MB", autovacuum_naptime: "60s" };

/** Starts a cluster in a folder of its own and prepares the template. */
export async function startCluster({ isDurable = false } = {}): Promise<{
  cluster: TestCluster;
  dataDir: string;
  stop(): Promise<void>;
}> {
  const dataDir = await mkdtemp(join(tmpdir(), "lw-test-"));
  const postgres = await startEmbedded({
    dataDir,
    settings: { max_connections: "400", ...SHORT_LIVED, ...(isDurable ? {} : NOT_DURABLE) },
  });
  const { host, port, user } = postgres.superuser;
  const roles = { owner: OWNER, application: APPLICATION };
  const cluster = await prepareTemplate({ host, port, user }, roles);
  return {
    cluster,
    dataDir,
    async stop() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs a test file in a process of its own, on a cluster of its own. */
export async function runTestsOn(
  cluster: TestCluster,
  file: string,
): Promise<{ code: number | null; output: string }> {
  const args = nodeArguments(join(ROOT, file), ["--test-reporter=tap"]);
  // Left in place, it would make that process believe that it is one of our own tests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, [CLUSTER_VARIABLE]: JSON.stringify(cluster) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** Grants the application role the tables that a test creates as superuser. */
async function shareTables(superuser: pg.ClientConfig, application: string): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    for (const kind of ["tables", "sequences"]) {
      await client.query(`alter default privileges grant all on ${kind} to ${application}`);
    }
  } finally {
    await client.end();
  }
}

/** Here once, so that not every server of every test makes them again. */
async function makePartitions(connection: pg.ClientConfig): Promise<void> {
  const db = openDatabase({
    connection,
    statementTimeoutMs: 5_000,
    lockTimeoutMs: 2_000,
  });
  try {
    await maintainPartitions({ db, clock: systemClock(), log: createLog({ level: "silent" }) });
  } finally {
    await db.close();
  }
}

/** Runs the work on a connection that may create and drop databases. */
export async function withAdmin<T>(
  cluster: Pick<TestCluster, "connection">,
  work: (admin: pg.Client) => Promise<T>,
  database = "postgres",
): Promise<T> {
  const client = new pg.Client({ ...cluster.connection, database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The servers that have a part of each database: one, unless it is a Citus. */
export function nodesOf({
  connection,
  workers = [],
}: Pick<TestCluster, "connection" | "workers">): readonly Pick<TestCluster, "connection">[] {
  const ports = [connection.port, ...workers];
  return ports.map((port) => ({ connection: { ...connection, port } }));
}

let counter = 0;

/** A fresh database, cloned from the template; `drop` takes it away again. */
export async function cloneDatabase(): Promise<{
  /** Connection as the application's role. */
  connection: pg.ClientConfig;
  drop(): Promise<void>;
}> {
  const cluster = await testCluster();
  counter += 1;
  const database = `t_${process.pid}_${counter}`;
  const admin = async (text: string) => {
    await Promise.all(
      nodesOf(cluster).map((node) => withAdmin(node, (client) => client.query(text))),
    );
  };
  const owned = cluster.roles ? ` owner ${cluster.roles.owner}` : "";
  await admin(
    `create database ${database}${owned} template ${cluster.template} strategy file_copy`,
  );
  const user = cluster.roles?.application ?? cluster.connection.user;
  return {
    connection: { ...cluster.connection, user, database },
    drop: async () => {
      await Promise.all(nodesOf(cluster).map((node) => dropFrom(node, database)));
    },
  };
}

const OBJECT_IN_USE = "55006";

/** Ends the database's sessions and drops it. Retries while a Citus daemon that is just starting uses it. */
async function dropFrom(node: Pick<TestCluster, "connection">, database: string): Promise<void> {
  await until(async () => {
    try {
      await withAdmin(node, (admin) =>
        admin.query(`drop database if exists ${database} with (force)`),
      );
      return true;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== OBJECT_IN_USE) throw error;
      return false;
    }
  });
}

/** The same database as the owner of its tables. */
export async function ownerOf(connection: pg.ClientConfig): Promise<pg.ClientConfig> {
  const { roles } = await testCluster();
  return roles && connection.user === roles.application
    ? { ...connection, user: roles.owner }
    : connection;
}

/** The same database as somebody who may do anything there. */
export async function superuserOf(connection: pg.ClientConfig): Promise<pg.ClientConfig> {
  const { roles, connection: admin } = await testCluster();
  return roles && connection.user === roles.application
    ? { ...connection, user: admin.user }
    : connection;
}
