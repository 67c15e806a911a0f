import { statementWithoutShard } from "../src/db/shard-check.ts";
import type { Statement } from "../src/db/statement.ts";

/** Ends a test that runs a statement on account-owned tables without naming the shard. */
export function refuseWithoutShard(statement: Statement): void {
  if (statement.name === "test") return;
  const table = statementWithoutShard(statement);
  if (table) {
    throw new Error(`The statement ${statement.name} touches ${table} without "shard = $n".`);
  }
}
