import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import pg from "pg";
import { migrate, readMigrations } from "../src/core/db/schema/migrate.ts";
import { type TestCluster, withAdmin } from "./cluster.ts";
import { makeStage } from "./example-fixtures.ts";
import { exampleRequest } from "./example-request.ts";
import type { Kit } from "./kit.ts";

/**
 * Rows of every table in a database of the first release. `npm run freeze` creates them once, with that
 * release; tests upgrade them to every later version.
 */
export interface FirstVersion {
  /** Name of the release's last migration. */
  readonly last: string;
  /** Keys of some of the rows. */
  readonly keys: { readonly test: string; readonly account: string };
  /** The rows of every table. */
  readonly tables: Readonly<Record<string, readonly object[]>>;
}

const FILE = fileURLToPath(new URL("./first-version/rows.json", import.meta.url));

/** Null before the first release. */
export function readFirstVersion(): FirstVersion | null {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as FirstVersion) : null;
}

export function writeFirstVersion(version: FirstVersion): void {
  writeFileSync(FILE, `${JSON.stringify(version)}\n`);
}

/** A database of today's migrations, filled by the examples. */
export async function firstVersionOfToday(kit: Kit): Promise<FirstVersion> {
  const keys = await fillWithExamples(kit);
  const last = (await readMigrations()).at(-1)?.name ?? "";
  return { last, keys, tables: await readRows(kit.connection) };
}

/** Fills every domain: runs the example of each changing route, each in its own account. */
async function fillWithExamples(kit: Kit): Promise<FirstVersion["keys"]> {
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

/** All rows of all tables, as JSON. */
export async function readRows(connection: pg.ClientConfig): Promise<FirstVersion["tables"]> {
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

/** Creates a database as of the first release: its migrations, then its rows. */
export async function makeFirstVersion(
  cluster: TestCluster,
  database: string,
  { last, tables }: FirstVersion,
): Promise<pg.ClientConfig> {
  await withAdmin(cluster, (admin) => admin.query(`create database ${database}`));
  const connection = { ...cluster.connection, database };
  await migrate(connection, undefined, null, async () =>
    (await readMigrations()).filter(({ name }) => name <= last),
  );
  await withClient(connection, async (client) => {
    // Replica role: rows may come in any order, without triggers and foreign keys.
    await client.query("set session_replication_role = replica");
    for (const { name, columns } of (await client.query<Table>(TABLES)).rows) {
      const given = tables[name] ?? [];
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
