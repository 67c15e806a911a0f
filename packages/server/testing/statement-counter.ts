import type { Database } from "../src/core/db/driver/database.ts";
import { type Statement, type Step, stepOf } from "../src/core/db/driver/statement.ts";

/** Wraps a database and counts the statements outside transactions. */
export function countedDatabase(db: Database): { db: Database; statements(): number } {
  let statements = 0;
  const query: Database["query"] = <Row>(used: Statement | Step, values?: readonly unknown[]) => {
    statements += 1;
    return db.query<Row>(stepOf(used, values));
  };
  return { db: { ...db, query }, statements: () => statements };
}
