import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import pg from "pg";
import { type Migration, migrate, readMigrations } from "../src/db/migrate.ts";
import { type TestCluster, withAdmin } from "./cluster.ts";
import { makeStage } from "./example-fixtures.ts";
import { exampleRequest } from "./example-request.ts";
import type { Kit } from "./kit.ts";

/**
 * The version that people may have data of. Its migrations never change again: `first` are those of
 * the first release, `since` those of later ones. `rows.json` is a database of the first release with
 * something in every domain; it stays as it was made.
 */
interface Frozen {
  readonly first: Readonly<Record<string, string>>;
  readonly since: Readonly<Record<string, string>>;
}

/** The rows of every table, and keys that open some of them. */
export interface FirstRows {
  readonly keys: { readonly test: string; readonly account: string };
  readonly tables: Readonly<Record<string, readonly object[]>>;
}

const FOLDER = new URL("./first-version/", import.meta.url);
const MIGRATIONS_FILE = fileURLToPath(new URL("migrations.json", FOLDER));
const ROWS_FILE = fileURLToPath(new URL("rows.json", FOLDER));

export function readFrozen(): Frozen {
  return JSON.parse(readFileSync(MIGRATIONS_FILE, "utf8")) as Frozen;
}

export function isFrozen(): boolean {
  return Object.keys(readFrozen().first).length > 0;
}

/** Null as long as nothing is frozen. */
export function readFirstRows(): FirstRows | null {
  return existsSync(ROWS_FILE) ? (JSON.parse(readFileSync(ROWS_FILE, "utf8")) as FirstRows) : null;
}

/** Freezes every migration there is now; the first time with the rows of a database that they made. */
export function freeze(migrations: readonly Migration[], rows: FirstRows | null): string[] {
  const frozen = readFrozen();
  const known = { ...frozen.first, ...frozen.since };
  const fresh = migrations.filter(({ name }) => !(name in known));
  const added = Object.fromEntries(fresh.map(({ name, checksum }) => [name, checksum]));
  const next = isFrozen()
    ? { first: frozen.first, since: { ...frozen.since, ...added } }
    : { first: added, since: {} };
  if (rows) writeFileSync(ROWS_FILE, `${JSON.stringify(rows)}\n`);
  writeFileSync(MIGRATIONS_FILE, `${JSON.stringify(next, null, 2)}\n`);
  return fresh.map(({ name }) => name);
}

/**
 * Puts something into every domain: the example of each call that makes or changes something, each in
 * an account of its own.
 */
export async function fillWithExamples(kit: Kit): Promise<FirstRows["keys"]> {
  for (const [name, spec] of Object.entries(routes) as [RouteName, RouteSpec][]) {
    if (spec.method === "GET" || name === "operator.clock.advance") continue;
    const stage = await makeStage(kit);
    const { path, ...request } = await exampleRequest(stage, name, spec);
    const answer = await kit.request(spec.method, path, request);
    assert.equal(answer.status, spec.example.status, `${name}: ${JSON.stringify(answer.body)}`);
  }
  const { testKey, accountId } = await makeStage(kit);
  await kit.request("POST", "/v1/messages", {
    key: testKey,
    body: { to: "+15005550000", from: "+15005550100", body: "From the first version" },
  });
  await kit.advance(1);
  return { test: testKey, account: accountId };
}

const TABLES = `
  select c.relname as name,
         array(select quote_ident(a.attname) from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                order by a.attnum) as columns
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname <> 'schema_migrations' order by c.relname`;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** All rows of all tables, as JSON has them. */
export async function readRows(connection: pg.ClientConfig): Promise<FirstRows["tables"]> {
  return withClient(connection, async (client) => {
    const tables: Record<string, object[]> = {};
    for (const { name } of (await client.query<Table>(TABLES)).rows) {
      const { rows } = await client.query<{ row: object }>(
        `select to_jsonb(t) as row from ${name} t`,
      );
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  });
}

/** A database as the first version left it: its migrations alone, and then its rows. */
export async function makeFirstVersion(
  cluster: TestCluster,
  database: string,
  rows: FirstRows["tables"],
): Promise<pg.ClientConfig> {
  await withAdmin(cluster, (admin) => admin.query(`create database ${database}`));
  const connection = { ...cluster.connection, database };
  await migrate(connection, undefined, null, firstMigrations);
  await withClient(connection, async (client) => {
    // Rows come in any order: no trigger and no foreign key is asked.
    await client.query("set session_replication_role = replica");
    for (const { name, columns } of (await client.query<Table>(TABLES)).rows) {
      const given = rows[name] ?? [];
      if (given.length === 0) continue;
      await client.query(`delete from ${name}`);
      const list = columns.join(", ");
      await client.query(
        `insert into ${name} (${list}) select ${list} from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
        [JSON.stringify(given)],
      );
    }
  });
  return connection;
}

/** The migrations of the first version; all of today's as long as nothing is frozen. */
async function firstMigrations(): Promise<Migration[]> {
  const { first } = readFrozen();
  const all = await readMigrations();
  return isFrozen() ? all.filter(({ name }) => name in first) : all;
}

async function withClient<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
