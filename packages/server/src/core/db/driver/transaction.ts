import type { Socket } from "node:net";
import type pg from "pg";
import { assert } from "../../platform/assert.ts";
import {
  CommitUnknown,
  IN_FAILED_TRANSACTION,
  isBrokenConnection,
  sqlStateOf,
} from "./failures.ts";
import { NOTIFY, type Statement, type Step, stepOf } from "./statement.ts";

export interface Queryable {
  /** Runs one statement. `composed` of sql-builder.ts makes a step that includes its values. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  query<Row>(step: Step): Promise<Row[]>;
}

/** A transaction. Only `Database.tx` makes one, so functions that take a Tx cannot run outside. */
export interface Tx extends Queryable {
  readonly isTransaction: true;
  /** Sends a statement without waiting for it; its failure fails the transaction. */
  send(statement: Statement, values: readonly unknown[]): void;
  send(step: Step): void;
}

/** Result of a transaction, and its steps that notify listeners. */
export interface Committed<T> {
  readonly result: T;
  readonly notified: readonly Step[];
}

/**
 * Runs the work in a transaction on a pipelined connection. Only statements that the work awaits cost a round trip:
 * `begin` leaves with the first statement, `commit` with the last ones sent. After a failed statement PostgreSQL
 * refuses the rest and turns the commit into a rollback.
 */
export async function runTransaction<T>(
  client: pg.PoolClient,
  queryable: Queryable,
  work: (tx: Tx) => Promise<T>,
): Promise<Committed<T>> {
  const notified: Step[] = [];
  const begun = client.query("begin");
  begun.catch(() => {});
  const sent: Promise<unknown>[] = [begun];
  const stream = streamOf(client);
  const query: Queryable["query"] = <Row>(used: Statement | Step, values?: readonly unknown[]) => {
    const step = stepOf(used, values);
    if (step.statement === NOTIFY || step.statement.accountsParameter !== undefined)
      notified.push(step);
    // Statements of one tick leave in one write, and wake the server process once.
    stream.cork();
    process.nextTick(() => stream.uncork());
    return queryable.query<Row>(step);
  };
  const send = (used: Statement | Step, values?: readonly unknown[]) => {
    const done = query(stepOf(used, values));
    done.catch(() => {});
    sent.push(done);
  };
  let result: T;
  try {
    result = await work({ isTransaction: true, query, send });
  } catch (error) {
    const failed = (await Promise.allSettled(sent)).find((one) => one.status === "rejected");
    // An awaited statement may fail because one that was only sent had failed: report that cause.
    throw failed && sqlStateOf(error) === IN_FAILED_TRANSACTION ? failed.reason : error;
  }
  const settled = await Promise.allSettled([commit(client), ...sent]);
  const failures = settled.filter((one) => one.status === "rejected").map((one) => one.reason);
  // The commit is already sent: a broken connection leaves the outcome unknown. Otherwise the first failed statement
  // caused all other failures.
  const unknown = failures.find((reason) => reason instanceof CommitUnknown);
  if (failures.length > 0) throw unknown ?? failures[1] ?? failures[0];
  return { result, notified };
}

/** Commits; throws CommitUnknown if the connection breaks meanwhile. */
async function commit(client: pg.ClientBase): Promise<void> {
  let result: pg.QueryResult;
  try {
    result = await client.query("commit");
  } catch (error) {
    throw isBrokenConnection(error) ? new CommitUnknown({ cause: error }) : error;
  }
  // Work that swallowed a database error would be rolled back here, yet reported as committed.
  assert(result.command === "COMMIT", "a transaction with a failed statement was committed");
}

/** The socket of a connection: while corked, statements collect into one write. */
function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
