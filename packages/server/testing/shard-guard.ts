import { readdirSync, readFileSync } from "node:fs";
import type { Statement } from "../src/core/db/driver/statement.ts";
import { statementWithoutShard, tablesWithShard } from "../src/core/db/schema/shard-check.ts";

const MIGRATIONS = new URL("../src/core/db/schema/migrations/", import.meta.url);

/** Tables whose keys begin with the shard, according to the migrations. */
export const ownedTables: ReadonlySet<string> = tablesWithShard(
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => readFileSync(new URL(name, MIGRATIONS), "utf8"))
    .join("\n"),
);

/** Statements that passed already: a test runs the same few repeatedly. */
const passed = new Set<string>();

/** Throws if a statement on account-owned tables does not name the shard. */
export function refuseWithoutShard(statement: Statement): void {
  if (statement.name === "test" || passed.has(statement.text)) return;
  const table = statementWithoutShard(statement, ownedTables);
  if (table) {
    throw new Error(`The statement ${statement.name} touches ${table} without "shard = $n".`);
  }
  passed.add(statement.text);
}
