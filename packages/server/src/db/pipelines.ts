import pg from "pg";
import { assert } from "../platform/assert.ts";
import { CommitUnknown, isBrokenConnection } from "./failures.ts";
import { streamOf } from "./pipelining.ts";
import type { Statement } from "./statement.ts";
import { NOTIFY, type PipelinedTx, type Queryable } from "./transaction.ts";

/** What a transaction came to, and what it notified. */
export interface Pipelined<T> {
  readonly result: T;
  readonly notified: readonly (readonly unknown[])[];
}

export interface Pipelines {
  run<T>(work: (tx: PipelinedTx) => Promise<T>): Promise<Pipelined<T>>;
  close(): Promise<void>;
}

/** Connections for transactions that wait for as little as they can. */
export function openPipelines(
  config: pg.ClientConfig,
  connections: number,
  queryableOf: (client: pg.PoolClient) => Queryable,
): Pipelines {
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    max: connections,
  } as pg.PoolConfig);
  // One that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    async run(work) {
      const client = await pool.connect();
      let broken = false;
      try {
        return await runPipelined(client, queryableOf(client), work);
      } catch (error) {
        broken = isBrokenConnection(error);
        if (!broken) await client.query("rollback").catch(() => (broken = true));
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/**
 * Begins, works and commits without waiting for anything but what the work itself awaits. After a
 * failed statement PostgreSQL refuses the rest and turns the commit into a rollback.
 */
async function runPipelined<T>(
  client: pg.PoolClient,
  queryable: Queryable,
  work: (tx: PipelinedTx) => Promise<T>,
): Promise<Pipelined<T>> {
  const notified: (readonly unknown[])[] = [];
  const begun = client.query("begin");
  begun.catch(() => {});
  const sent: Promise<unknown>[] = [begun];
  const stream = streamOf(client);
  const query: Queryable["query"] = (used, values) => {
    if (used === NOTIFY) notified.push(values);
    // What is asked for in one turn leaves in one write, and wakes the database once.
    stream.cork();
    process.nextTick(() => stream.uncork());
    return queryable.query(used, values);
  };
  const send = (used: Statement, values: readonly unknown[]) => {
    const done = query(used, values);
    done.catch(() => {});
    sent.push(done);
  };
  let result: T;
  try {
    result = await work({ isTransaction: true, ...queryable, query, send });
  } catch (error) {
    await Promise.allSettled(sent);
    throw error;
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
export async function commit(client: pg.ClientBase): Promise<void> {
  let result: pg.QueryResult;
  try {
    result = await client.query("commit");
  } catch (error) {
    throw isBrokenConnection(error) ? new CommitUnknown({ cause: error }) : error;
  }
  // Work that swallowed an error of the database would be undone here, and reported as done.
  assert(result.command === "COMMIT", "a transaction with a failed statement was committed");
}
