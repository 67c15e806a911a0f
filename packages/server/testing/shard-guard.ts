import { readdirSync, readFileSync } from "node:fs";
import type { Statement } from "../src/core/db/driver/statement.ts";
import { statementWithoutShard, tablesWithShard } from "../src/core/db/schema/shard-check.ts";

const MIGRATIONS = new URL("../src/core/db/schema/migrations/", import.meta.url);

/** The tables whose keys begin with the shard, as the migrations make them. */
export const ownedTables: ReadonlySet<string> = tablesWithShard(
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => readFileSync(new URL(name, MIGRATIONS), "utf8"))
    .join("\n"),
);

/** Texts that were looked at and passed: a test runs the same few statements over and over. */
const passed = new Set<string>();

/** Ends a test that runs a statement on account-owned tables without naming the shard. */
export function refuseWithoutShard(statement: Statement): void {
  if (statement.name === "test" || passed.has(statement.text)) return;
  const table = statementWithoutShard(statement, ownedTables);
  if (table) {
    throw new Error(`The statement ${statement.name} touches ${table} without "shard = $n".`);
  }
  passed.add(statement.text);
}
