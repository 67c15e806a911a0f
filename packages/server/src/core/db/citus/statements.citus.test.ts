import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import "../../../app/assemble.ts";
import "../../../app/handlers.ts";
import "../../../app/lanes.ts";
import "../../../app/serve.ts";
import "../../../app/tasks.ts";
import { cloneDatabase } from "../../../../testing/cluster.ts";
import { sessionSettings } from "../driver/profiles.ts";
import { allStatements, type Statement } from "../driver/statement.ts";

/** A value of each parameter type. */
// biome-ignore format: read as a table
const VALUES: Readonly<Record<string, string>> = {
  bigint: "1", smallint: "1", "double precision": "1", real: "1", numeric: "1",
  boolean: "true", text: "'1'", uuid: "'01900000-0000-7000-8000-000000000000'", bytea: "'\\x00'",
  "timestamp with time zone": "now()", date: "current_date", json: "'[]'", jsonb: "'[]'",
};
/**
 * Errors that prove the statement reached a row: a violated CHECK, or a value that its type cannot parse.
 */
const OF_VALUES = ["22", "23"];
/** Statements that use no tables. */
const NOT_TRIED = new Set(["notify", "take_room", "allow_partition_moves"]);

test("every statement of the server runs on distributed tables", async (t) => {
  const { connection, drop } = await cloneDatabase();
  const client = new pg.Client(connection);
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  const settings = sessionSettings({
    ...{ connection, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 },
    isDistributed: true,
  });
  for (const [name, value] of Object.entries(settings)) {
    await client.query("select set_config($1, $2, false)", [name, value]);
  }
  const statements = allStatements().filter(({ name }) => !NOT_TRIED.has(name));
  assert.ok(statements.length > 400, `only ${statements.length} statements were seen`);
  const refused: string[] = [];
  for (const statement of statements) {
    const error = await tried(client, statement);
    if (error !== null) refused.push(`${statement.name}: ${error}`);
  }
  assert.deepEqual(refused, []);
});

/**
 * Runs a statement with values of the right types and rolls it back; returns the error of Citus, or null.
 */
async function tried(client: pg.Client, statement: Statement): Promise<string | null> {
  await client.query("begin");
  try {
    await client.query(`prepare tried as ${statement.onCitus ?? statement.text}`);
    const { rows } = await client.query(
      "select parameter_types::text[] as types from pg_prepared_statements where name = 'tried'",
    );
    const values = (rows[0].types as string[]).map(sampleOf).join(", ");
    await client.query(`execute tried${values === "" ? "" : `(${values})`}`);
    return null;
  } catch (error) {
    const { code = "", message } = error as pg.DatabaseError;
    const isOfValues = OF_VALUES.some((kind) => code.startsWith(kind));
    // A worker refuses copied rows, and Citus reports that with an error code of its own.
    return isOfValues || message.includes("violates check") ? null : `${code} ${message}`;
  } finally {
    await client.query("rollback");
    await client.query("deallocate all");
  }
}

/** Different values: a statement with two shards has to work across two workers. */
function sampleOf(type: string, position = 0): string {
  const value = type === "integer" ? String(position % 4) : (VALUES[type] ?? "null");
  return type.endsWith("[]")
    ? `array[${sampleOf(type.slice(0, -2), position)}]::${type}`
    : `${value}::${type}`;
}
