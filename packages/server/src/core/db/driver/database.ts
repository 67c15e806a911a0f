import pg from "pg";
import { assert } from "../platform/assert.ts";
import type { PoolState } from "../platform/metrics.ts";
import { clientClass, type Door } from "./client.ts";
import {
  CommitUnknown,
  DatabaseUnavailable,
  isBrokenConnection,
  isRetryable,
  isUnavailable,
  isWriteRefusal,
} from "./failures.ts";
import { fly } from "./flight.ts";
import { createHosts } from "./hosts.ts";
import {
  type ConnectionOptions,
  clientConfig,
  columnTypes,
  PROFILES,
  type Profile,
  sessionSettings,
} from "./profiles.ts";
import { type Rehearsal, type SharedClients, sharedClients } from "./shared-clients.ts";
import { heardOf, type Statement, type Step, statement, stepOf } from "./statement.ts";
import { type Queryable, runTransaction, type Tx } from "./transaction.ts";

export { NOTIFY, type Step } from "./statement.ts";
export type { Queryable, Tx } from "./transaction.ts";

/**
 * The four ways to the database: a statement (`query`), a transaction (`tx`), a transaction that is
 * known beforehand (`fly`), and listening (notifications.ts). On which connections, and how it is
 * planned there, is said by a profile (profiles.ts).
 */
export interface Database extends Queryable {
  /** Whether the tables lie on several PostgreSQLs (Citus), where some things are done in another way. */
  readonly isDistributed: boolean;
  /**
   * Runs the work in a transaction; runs it again after a deadlock or serialisation failure.
   * Statements asked for together go out together.
   */
  tx<T>(work: (tx: Tx) => Promise<T>, profile?: TransactionProfile): Promise<T>;
  /**
   * Runs steps that are known beforehand as one transaction in one round trip: all of them hold or
   * none. The database runs them in order; the rows come back by step. Where all of them lock one
   * account, naming it lets them leave on the connection that others of that account left on: there
   * they wait in line, which is cheaper than to wait for a lock.
   */
  fly(
    steps: readonly Step[],
    options?: { profile?: "groups" | "lanes"; accountId?: string | null },
  ): Promise<unknown[][]>;
  /**
   * Calls back with what a transaction of this process notified, and with the accounts that it has
   * told events of, as soon as it is committed and before its caller goes on: so whoever changes
   * something sees the change at once, although the notification itself takes its way through the
   * database.
   */
  onNotified(hear: (channel: string, payload: string) => void): void;
  /**
   * Whether the database takes writes. After one was refused because the disk is full (or fails, or
   * may only be read), it is tried by a write that needs room, until one is taken.
   */
  canWrite(): Promise<boolean>;
  /**
   * Runs these once on every connection of their profile, now and whenever one is opened: a new one has
   * yet to read what the tables are and to plan, which takes it ten times as long as any answer.
   */
  rehearse(profile: Profile, steps: readonly Step[]): Promise<void>;
  /** How the connections for transactions of requests are used right now. */
  poolState(): PoolState;
  close(): Promise<void>;
}

export type TransactionProfile = "requests" | "groups";

export interface DatabaseOptions extends ConnectionOptions {
  /** Sees every statement before it runs; the tests refuse those that name no shard. */
  readonly inspect?: (statement: Statement) => void;
  /** Where connections go and who looks at them; unless given, to the one address, unseen. */
  readonly door?: Door;
  /** Transactions of requests at a time; the profile's own number unless given. */
  readonly requestTransactions?: number;
}

const TX_ATTEMPTS_MAX = 4;

/** Takes 64 KiB of disk for the length of a transaction: more than any page that is there has left. */
const takeRoom = statement(
  "take_room",
  `create temporary table write_probe on commit drop as
     select repeat(md5(n::text), 200) as filling from generate_series(1, 10) n`,
);

/** Makes clients for whatever is none of the profiles' work: listening. */
export function plainClient(options: ConnectionOptions, door: Door): () => pg.Client {
  const Client = clientClass(door, sessionSettings(options));
  return () => new Client(clientConfig(options, columnTypes));
}

export function openDatabase(options: DatabaseOptions): Database {
  const { isDistributed = false } = options;
  const { shared, pools } = openConnections(options);
  const nameForm = createFormNames();

  const hearers: ((channel: string, payload: string) => void)[] = [];
  const echo = (committed: readonly Step[]) => {
    for (const [channel, payload] of heardOf(committed)) {
      for (const hear of hearers) hear(channel, payload);
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
    // What is composed has a text of its own for every set of filters: prepared only where few do.
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

  const flyShared: Database["fly"] = async (
    steps,
    { profile = "groups", accountId = null } = {},
  ) => {
    const client = await shared[profile].next(accountId);
    for (const step of steps) options.inspect?.(step.statement);
    const results = await flyWhole(client, steps);
    echo(steps);
    return results;
  };
  // Citus takes steps that come before one Sync for so many transactions: it has to be told of a begin. A single one
  // needs none, and a function that is called so is run as a whole by the worker that has its shard.
  const flyDistributed: Database["fly"] = (steps, how) =>
    steps.length === 1
      ? flyShared(steps.map(onCitus), how)
      : transact(pools.groups, (tx) => Promise.all(steps.map((step) => tx.query<unknown>(step))));
  const flyOnce = isDistributed ? flyDistributed : flyShared;

  return {
    isDistributed,
    ...queryableBy((step) =>
      translated(async () => {
        const clients = shared[step.statement.profile ?? "requests"];
        const rows = await runOn<never>(await clients.next(), step);
        if (step.statement.tellsAt !== undefined) echo([step]);
        return rows;
      }),
    ),
    tx: (work, profile = "requests") =>
      translated(() => retried(() => transact(pools[profile], work))),
    fly: (steps, how) => translated(() => retried(() => flyOnce(steps, how))),
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
    onNotified: (hear) => void hearers.push(hear),
    rehearse: (profile, steps) => shared[profile].rehearse(inTurn(steps, runOn)),
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

/** Those of every profile, opened when they are first needed. */
function openConnections(options: DatabaseOptions): Connections {
  const config = clientConfig(options, columnTypes);
  const door = options.door ?? { hosts: createHosts(options.connection), guard: null };
  const classOf = (profile: Profile) => clientClass(door, sessionSettings(options, profile));
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

/** Connections for transactions, each of which has one to itself and pipelines on it. */
function openPool(
  Client: typeof pg.Client,
  config: pg.ClientConfig,
  connectionsMax: number,
): pg.Pool {
  const settings = { ...config, pipeline: true, max: connectionsMax, Client };
  const pool = new pg.Pool(settings as pg.PoolConfig);
  // An idle connection that breaks is replaced by the pool, which tells of it: without a listener that
  // would end the process.
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

/** Every connection of the profile keeps a plan of each form, which takes some 500 KiB. */
const FORMS_MAX = 100;

/** Names for composed statements that are prepared: one for each text. */
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

/** Not all at once: whatever else is asked meanwhile goes between them. */
function inTurn(
  steps: readonly Step[],
  run: (client: pg.Client, step: Step) => Promise<unknown>,
): Rehearsal {
  return async (client) => {
    for (const step of steps) await run(client, step);
  };
}

function onCitus({ statement, values }: Step): Step {
  const { onCitus: text = statement.text } = statement;
  return { statement: { ...statement, text }, values };
}

/** A connection that breaks meanwhile leaves it open whether the steps hold. */
async function flyWhole(client: pg.Client, steps: readonly Step[]): Promise<unknown[][]> {
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
function asUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isUnavailable(error)) return error;
  return new DatabaseUnavailable("The database cannot be used right now.", { cause: error });
}
