import type { Socket } from "node:net";
import type pg from "pg";
import { assert } from "../platform/assert.ts";
import {
  CommitUnknown,
  IN_FAILED_TRANSACTION,
  isBrokenConnection,
  sqlStateOf,
} from "./failures.ts";
import { NOTIFY, type Statement, type Step, stepOf } from "./statement.ts";

export interface Queryable {
  /** Runs one statement; `composed` of sql-builder.ts makes one that has its values with it. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  query<Row>(step: Step): Promise<Row[]>;
}

/** A transaction. Only `Database.tx` makes one, so what takes a Tx cannot run outside. */
export interface Tx extends Queryable {
  readonly isTransaction: true;
  /** Sends a statement whose rows nobody needs; when it fails, so does the transaction. */
  send(statement: Statement, values: readonly unknown[]): void;
}

/** What a transaction came to, and those of its statements that others hear of. */
export interface Committed<T> {
  readonly result: T;
  readonly notified: readonly Step[];
}

/**
 * Begins, works and commits on a connection that pipelines: nothing is waited for but what the work
 * itself awaits, so the begin leaves with the first statement, and the commit with those that were
 * sent last. After a failed statement PostgreSQL refuses the rest and turns the commit into a
 * rollback.
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
    if (step.statement === NOTIFY || step.statement.tellsAt !== undefined) notified.push(step);
    // What is asked for in one round of the event loop leaves in one write, and wakes the database once.
    stream.cork();
    process.nextTick(() => stream.uncork());
    return queryable.query<Row>(step);
  };
  const send = (used: Statement, values: readonly unknown[]) => {
    const done = query(used, values);
    done.catch(() => {});
    sent.push(done);
  };
  let result: T;
  try {
    result = await work({ isTransaction: true, query, send });
  } catch (error) {
    const failed = (await Promise.allSettled(sent)).find((one) => one.status === "rejected");
    // What was waited for may have been refused because something that was only sent had failed.
    throw failed && sqlStateOf(error) === IN_FAILED_TRANSACTION ? failed.reason : error;
  }
  const settled = await Promise.allSettled([commit(client), ...sent]);
  const failures = settled.filter((one) => one.status === "rejected").map((one) => one.reason);
  // The commit went out with the rest: a connection that breaks leaves its fate open. Otherwise the
  // first statement that failed is the cause of all the others.
  const unknown = failures.find((reason) => reason instanceof CommitUnknown);
  if (failures.length > 0) throw unknown ?? failures[1] ?? failures[0];
  return { result, notified };
}

/** Commits; a connection that breaks meanwhile leaves it open whether it did. */
async function commit(client: pg.ClientBase): Promise<void> {
  let result: pg.QueryResult;
  try {
    result = await client.query("commit");
  } catch (error) {
    throw isBrokenConnection(error) ? new CommitUnknown({ cause: error }) : error;
  }
  // Work that swallowed an error of the database would be undone here, and reported as done.
  assert(result.command === "COMMIT", "a transaction with a failed statement was committed");
}

/** The socket of a connection: held back (corked), several statements leave in one write. */
function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
