import pg from "pg";
import type { PoolState } from "../platform/metrics.ts";
import {
  CommitUnknown,
  DatabaseUnavailable,
  isBrokenConnection,
  isRetryable,
  isUnavailable,
} from "./failures.ts";
import { fly } from "./flight.ts";
import { commit, openPipelines } from "./pipelines.ts";
import { planningOnce } from "./pipelining.ts";
import { openPlanned } from "./planned.ts";
import { sharedClients } from "./shared-clients.ts";
import { type Fragment, render } from "./sql-builder.ts";
import type { Statement } from "./statement.ts";
import { NOTIFY, type PipelinedTx, type Queryable, type Step, type Tx } from "./transaction.ts";
import { columnTypes } from "./types.ts";

export { NOTIFY, type PipelinedTx, type Queryable, type Step, type Tx } from "./transaction.ts";

export interface Database extends Queryable {
  /** For single statements on tables whose rows come and go: found by index, whatever was there before. */
  readonly queues: Queryable;
  /**
   * Runs steps that are known beforehand as one transaction in one round trip. Used where a
   * transaction's latency counts: the steps go out together, and the database runs them in order.
   * Those of lanes have connections of their own, so that no request waits behind a chunk of them.
   */
  steps(steps: readonly Step[], of?: "groups" | "lanes"): Promise<unknown[][]>;
  /**
   * Runs a statement composed of fragments that has few forms. Each form is planned once for a
   * connection, without knowing the values, so it must be written such that one plan fits them all.
   */
  queryPlanned<Row>(name: string, fragment: Fragment): Promise<Row[]>;
  /** Runs the work in a transaction; runs it again after a deadlock or serialisation failure. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same on a connection that waits for nothing: statements asked for together go out
   * together, and the commit goes out with those that were sent last. For groups of writes.
   */
  pipelined<T>(work: (tx: PipelinedTx) => Promise<T>): Promise<T>;
  /**
   * Calls back with what a transaction of this process notified, as soon as it is committed and
   * before its caller goes on: so whoever changes something sees the change at once, although the
   * notification itself takes its way through the database.
   */
  onNotified(hear: (channel: string, payload: string) => void): void;
  /** How the connections for transactions are used right now. */
  poolState(): PoolState;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly connection: pg.ClientConfig;
  readonly poolConnectionsMax: number;
  readonly sharedConnections: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** Sees every statement before it runs; the tests refuse those that name no shard. */
  readonly inspect?: (statement: Statement) => void;
}

/** Groups of writes take turns on these, and the chunks of lanes on as many. */
const CONNECTIONS_OF_EACH = 2;
export const WRITER_CONNECTIONS = 2 * CONNECTIONS_OF_EACH;
/** What is claimed and what became of it take turns on these. */
export const QUEUE_CONNECTIONS = 2;
/** Groups that read before they write hold one of these: one for each kind of group. */
export const PIPELINED_CONNECTIONS = 2;

const TX_ATTEMPTS_MAX = 4;
const CONNECT_TIMEOUT_MS = 4_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** A database that does not even refuse in time is given up, and its connection with it. */
const ANSWER_GRACE_MS = 500;

/** The settings every connection of ours starts with. */
export function clientConfig(options: DatabaseOptions): pg.ClientConfig {
  const settings = {
    timezone: "UTC",
    statement_timeout: String(options.statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs),
    idle_in_transaction_session_timeout: "10000",
  };
  return {
    ...options.connection,
    types: columnTypes,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    application_name: "longwave",
  };
}

/**
 * Settings of connections for queues. A queue is empty one moment and long the next, and a plan made
 * in either would be kept for the other: with an index to walk along, it is walked.
 */
function findingByIndex(config: pg.ClientConfig): pg.ClientConfig {
  const { options } = planningOnce(config);
  return { ...config, options: `${options} -c enable_seqscan=off -c enable_bitmapscan=off` };
}

/**
 * A pool for transactions, and a few shared connections that pipeline single statements: half the
 * CPU of a pool per query, because nobody waits for a connection to come back.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const config = clientConfig(options);
  const pool = new pg.Pool({ ...config, max: options.poolConnectionsMax });
  // An idle connection that breaks is replaced by the pool, and one in use fails its query. Without
  // a listener for each, either would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const shared = sharedClients(config, options.sharedConnections);
  const queues = sharedClients(findingByIndex(config), QUEUE_CONNECTIONS);
  const pipelines = openPipelines(planningOnce(config), PIPELINED_CONNECTIONS, (client) =>
    queryableOn(options.inspect, (use) => use(client)),
  );
  const planned = openPlanned(config, options.inspect);
  const writers = {
    groups: sharedClients(planningOnce(config), CONNECTIONS_OF_EACH),
    lanes: sharedClients(planningOnce(config), CONNECTIONS_OF_EACH),
  };

  const hearers: ((channel: string, payload: string) => void)[] = [];
  const echo = (notified: readonly (readonly unknown[])[]) => {
    for (const [channel, payload] of notified) {
      for (const hear of hearers) hear(String(channel), String(payload));
    }
  };

  const once = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken = false;
    try {
      await client.query("begin");
      const notified: (readonly unknown[])[] = [];
      const queryable = queryableOn(options.inspect, (use) => use(client));
      const query: Queryable["query"] = (used, values) => {
        if (used === NOTIFY) notified.push(values);
        return queryable.query(used, values);
      };
      const result = await work({ isTransaction: true, ...queryable, query });
      await commit(client);
      echo(notified);
      return result;
    } catch (error) {
      broken = isBrokenConnection(error);
      if (!broken) await client.query("rollback").catch(() => (broken = true));
      throw error;
    } finally {
      client.release(broken);
    }
  };

  return {
    ...queryableOn(options.inspect, (use) => translated(async () => use(await shared.next()))),
    queryPlanned: (name, fragment) => translated(() => planned.query(name, fragment)),
    queues: queryableOn(options.inspect, (use) => translated(async () => use(await queues.next()))),
    tx: (work) => translated(() => retried(() => once(work))),
    pipelined: (work) =>
      translated(() =>
        retried(async () => {
          const { result, notified } = await pipelines.run(work);
          echo(notified);
          return result;
        }),
      ),
    steps: (steps, of = "groups") =>
      translated(() =>
        retried(async () => {
          const client = await writers[of].next();
          for (const step of steps) options.inspect?.(step.statement);
          const results = await runSteps(client, steps);
          echo(steps.filter((step) => step.statement === NOTIFY).map((step) => step.values));
          return results;
        }),
      ),
    onNotified: (hear) => void hearers.push(hear),
    poolState: () => ({
      waiting: pool.waitingCount,
      idle: pool.idleCount,
      total: pool.totalCount,
    }),
    async close() {
      await writers.groups.close();
      await writers.lanes.close();
      await shared.close();
      await planned.close();
      await queues.close();
      await pipelines.close();
      await pool.end();
    },
  };
}

/** Statements on whatever connection they are given. */
function queryableOn(
  inspect: DatabaseOptions["inspect"],
  withClient: <T>(use: (client: pg.ClientBase) => Promise<T>) => Promise<T>,
): Queryable {
  return {
    query: <Row>(used: Statement, values: readonly unknown[]) =>
      withClient(async (client) => {
        inspect?.(used);
        const { name, text } = used;
        const result = await client.query({ name, text, values: values as unknown[] });
        return result.rows as Row[];
      }),
    queryFragment: <Row>(
      name: string,
      fragment: Fragment,
      exempt: { readonly acrossShards?: string } = {},
    ) => {
      const { text, values } = render(fragment);
      inspect?.({ name, text, ...exempt });
      return withClient(async (client) => {
        const result = await client.query(text, values as unknown[]);
        return result.rows as Row[];
      });
    },
  };
}

/** All of the steps hold or none; a connection that breaks meanwhile leaves it open which. */
async function runSteps(client: pg.Client, steps: readonly Step[]): Promise<unknown[][]> {
  try {
    return await fly(client, steps);
  } catch (error) {
    throw isBrokenConnection(error) ? new CommitUnknown({ cause: error }) : error;
  }
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error) || attempts >= TX_ATTEMPTS_MAX) throw error;
    }
  }
}

/** Tells "the database is away" from everything else, once, for all callers. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable || !isUnavailable(error)) throw error;
    throw new DatabaseUnavailable("The database cannot be used right now.", { cause: error });
  }
}
