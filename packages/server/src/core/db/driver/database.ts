import pg from "pg";
import { assert } from "../../platform/assert.ts";
import type { PoolState } from "../../platform/metrics.ts";
import { type ConnectTarget, clientClass } from "./client.ts";
import {
  CommitUnknown,
  DatabaseUnavailable,
  isBrokenConnection,
  isRetryable,
  isUnavailable,
  isWriteRefusal,
} from "./failures.ts";
import { createHosts } from "./hosts.ts";
import { execPipelined } from "./pipeline.ts";
import {
  type ConnectionOptions,
  clientConfig,
  columnTypes,
  PROFILES,
  type Profile,
  sessionSettings,
} from "./profiles.ts";
import { type SharedClients, sharedClients, type WarmUp } from "./shared-clients.ts";
import { eventsOf, type Statement, type Step, statement, stepOf } from "./statement.ts";
import { type Queryable, runTransaction, type Tx } from "./transaction.ts";

export { NOTIFY, type Step } from "./statement.ts";
export type { Queryable, Tx } from "./transaction.ts";

/**
 * Access to the database: a statement (`query`), an interactive transaction (`tx`), or a pipelined transaction
 * (`execPipelined`). notifications.ts listens. Profiles (profiles.ts) choose connections and planner settings.
 */
export interface Database extends Queryable {
  /**
   * Whether the tables are distributed over several PostgreSQL nodes (Citus), which changes some statements.
   */
  readonly isDistributed: boolean;
  /**
   * Runs the work in a transaction; retries it after a deadlock or serialization failure. Statements issued in the same
   * tick leave in one write.
   */
  tx<T>(work: (tx: Tx) => Promise<T>, profile?: TransactionProfile): Promise<T>;
  /**
   * Runs the steps, in order, as one transaction in one round trip, and returns the rows of each step. `accountId`: set
   * if all steps lock this account. Its transactions then share one connection and queue there, which is cheaper than
   * waiting for the row lock.
   */
  execPipelined(
    steps: readonly Step[],
    options?: { profile?: "groups" | "lanes"; accountId?: string | null },
  ): Promise<unknown[][]>;
  /**
   * Subscribes to notifications and event appends of this process's own transactions. The callback runs after the
   * commit and before the transaction's caller continues, so a caller always sees its own change.
   */
  onNotified(hear: (channel: string, payload: string) => void): void;
  /**
   * Whether the database accepts writes. After a refused write (disk full, failing or read-only) a probe that allocates
   * disk space decides.
   */
  canWrite(): Promise<boolean>;
  /**
   * Runs the steps once on every connection of the profile, and on each connection opened later. Loading the catalog
   * and planning take ten times as long as a query.
   */
  warmUp(profile: Profile, steps: readonly Step[]): Promise<void>;
  /** Usage of the connections for request transactions. */
  poolState(): PoolState;
  close(): Promise<void>;
}

export type TransactionProfile = "requests" | "groups";

export interface DatabaseOptions extends ConnectionOptions {
  /** Called with every statement before it runs; tests refuse statements without a shard. */
  readonly inspect?: (statement: Statement) => void;
  /** Addresses and identity check. Default: the given connection, unchecked. */
  readonly target?: ConnectTarget;
  /** Maximum concurrent request transactions. Default: the profile's. */
  readonly requestTransactions?: number;
}

const TX_ATTEMPTS_MAX = 4;

/**
 * Probe that takes 64 KiB of disk for the length of a transaction: more than any existing page has free.
 */
const takeRoom = statement(
  "take_room",
  `create temporary table write_probe on commit drop as
     select repeat(md5(n::text), 200) as filling from generate_series(1, 10) n`,
);

/** Makes clients outside the profiles, for listening. */
export function plainClient(options: ConnectionOptions, target: ConnectTarget): () => pg.Client {
  const Client = clientClass(target, sessionSettings(options));
  return () => new Client(clientConfig(options, columnTypes));
}

export function openDatabase(options: DatabaseOptions): Database {
  const { isDistributed = false } = options;
  const { shared, pools } = openConnections(options);
  const nameForm = createFormNames();

  const listeners: ((channel: string, payload: string) => void)[] = [];
  const echo = (committed: readonly Step[]) => {
    for (const [channel, payload] of eventsOf(committed)) {
      for (const listen of listeners) listen(channel, payload);
    }
  };
  let isRefused = false;
  const translated = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      if (isWriteRefusal(error)) isRefused = true;
      throw asUnavailable(error);
    });
  const runOn = async <Row>(client: pg.ClientBase, step: Step): Promise<Row[]> => {
    const { statement: used, values } = step;
    options.inspect?.(used);
    const { profile, isComposed } = used;
    const text = (isDistributed ? used.onCitus : undefined) ?? used.text;
    // Composed statements have many forms. Only the `lists` profile, with few of them, prepares them.
    const name = !isComposed ? used.name : profile === "lists" ? nameForm(used) : null;
    const query = { text, values: values as unknown[], ...(name === null ? {} : { name }) };
    return (await client.query(query)).rows as Row[];
  };
  const transact = async <T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken = false;
    try {
      const queryable = queryableBy((step) => runOn(client, step));
      const { result, notified } = await runTransaction(client, queryable, work);
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

  const pipelineShared: Database["execPipelined"] = async (
    steps,
    { profile = "groups", accountId = null } = {},
  ) => {
    const client = await shared[profile].next(accountId);
    for (const step of steps) options.inspect?.(step.statement);
    const results = await pipelineSteps(client, steps);
    echo(steps);
    return results;
  };
  // Citus runs pipelined steps as separate transactions unless there is an explicit begin. A single step needs none,
  // and Citus delegates a single function call to the worker with its shard.
  const pipelineDistributed: Database["execPipelined"] = (steps, how) =>
    steps.length === 1
      ? pipelineShared(steps.map(onCitus), how)
      : transact(pools.groups, (tx) => Promise.all(steps.map((step) => tx.query<unknown>(step))));
  const pipelineOnce = isDistributed ? pipelineDistributed : pipelineShared;

  return {
    isDistributed,
    ...queryableBy((step) =>
      translated(async () => {
        const clients = shared[step.statement.profile ?? "requests"];
        const rows = await runOn<never>(await clients.next(), step);
        if (step.statement.accountsParameter !== undefined) echo([step]);
        return rows;
      }),
    ),
    tx: (work, profile = "requests") =>
      translated(() => retried(() => transact(pools[profile], work))),
    execPipelined: (steps, how) => translated(() => retried(() => pipelineOnce(steps, how))),
    async canWrite() {
      if (!isRefused) return true;
      try {
        await transact(pools.requests, (tx) => tx.query(takeRoom, []));
        isRefused = false;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
      return !isRefused;
    },
    onNotified: (listen) => void listeners.push(listen),
    warmUp: (profile, steps) => shared[profile].warmUp(oneByOne(steps, runOn)),
    poolState: () => stateOf(pools.requests),
    async close() {
      for (const clients of Object.values(shared)) await clients.close();
      for (const pool of Object.values(pools)) await pool.end();
    },
  };
}

interface Connections {
  readonly shared: Record<Profile, SharedClients>;
  readonly pools: Record<TransactionProfile, pg.Pool>;
}

/** Connections of every profile, opened on first use. */
function openConnections(options: DatabaseOptions): Connections {
  const config = clientConfig(options, columnTypes);
  const target = options.target ?? { hosts: createHosts(options.connection), guard: null };
  const classOf = (profile: Profile) => clientClass(target, sessionSettings(options, profile));
  const shared = Object.fromEntries(
    Object.entries(PROFILES).map(([profile, { sharedConnections }]) => [
      profile,
      sharedClients(classOf(profile as Profile), config, sharedConnections),
    ]),
  ) as Record<Profile, SharedClients>;
  const { requests, groups } = PROFILES;
  const transactions = options.requestTransactions ?? requests.transactionConnections;
  const pools: Record<TransactionProfile, pg.Pool> = {
    requests: openPool(classOf("requests"), config, transactions),
    groups: openPool(classOf("groups"), config, groups.transactionConnections),
  };
  return { shared, pools };
}

/** Connections for transactions: exclusive to one transaction, pipelined. */
function openPool(
  Client: typeof pg.Client,
  config: pg.ClientConfig,
  connectionsMax: number,
): pg.Pool {
  const settings = { ...config, pipeline: true, max: connectionsMax, Client };
  const pool = new pg.Pool(settings as pg.PoolConfig);
  // The pool replaces a broken idle connection and emits `error`, which would end the process without a listener.
  pool.on("error", () => {});
  return pool;
}

function stateOf(pool: pg.Pool): PoolState {
  return { waiting: pool.waitingCount, idle: pool.idleCount, total: pool.totalCount };
}

function queryableBy(run: <Row>(step: Step) => Promise<Row[]>): Queryable {
  const query: Queryable["query"] = <Row>(used: Statement | Step, values?: readonly unknown[]) =>
    run<Row>(stepOf(used, values));
  return { query };
}

/** Maximum prepared forms. Each connection of the profile keeps a plan per form, some 500 KiB. */
const FORMS_MAX = 100;

/** Names for prepared composed statements: one per SQL string. */
function createFormNames(): (statement: Statement) => string {
  const names = new Map<string, string>();
  return ({ name, text }) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    assert(names.size < FORMS_MAX, "a list that is planned once has too many forms");
    const made = `${name}_${names.size}`;
    names.set(text, made);
    return made;
  };
}

/** One step after another, so that requests get in between. */
function oneByOne(
  steps: readonly Step[],
  run: (client: pg.Client, step: Step) => Promise<unknown>,
): WarmUp {
  return async (client) => {
    for (const step of steps) await run(client, step);
  };
}

function onCitus({ statement, values }: Step): Step {
  const { onCitus: text = statement.text } = statement;
  return { statement: { ...statement, text }, values };
}

/** A connection that breaks meanwhile leaves the outcome unknown. */
async function pipelineSteps(client: pg.Client, steps: readonly Step[]): Promise<unknown[][]> {
  try {
    return await execPipelined(client, steps);
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

/**
 * Maps errors of an unavailable database to DatabaseUnavailable; returns other errors unchanged.
 */
function asUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isUnavailable(error)) return error;
  return new DatabaseUnavailable("The database cannot be used right now.", { cause: error });
}
