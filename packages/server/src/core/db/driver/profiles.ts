import pg from "pg";
import type { Connection } from "./hosts.ts";

/**
 * Which connections something runs on, and how PostgreSQL plans it there.
 *
 * - `requests`: whatever a request asks by itself. Planned for the values at hand.
 * - `lists`: lists that would take longer to plan than to do.
 * - `scans`: what may read all that an account has, a tenth of a second and longer: statements of one
 *   connection wait for each other, and these hold up nobody but each other.
 * - `groups`: what groups of requests write.
 * - `lanes`: the chunks of lanes, so that no request waits behind one.
 * - `queues`: claims, and what became of what was claimed.
 */
export type Profile = "requests" | "lists" | "scans" | "groups" | "lanes" | "queues";

interface ProfileSettings {
  /** Connections on which single statements and flights leave without waiting for each other. */
  readonly sharedConnections: number;
  /** Connections that a transaction has to itself. */
  readonly transactionConnections: number;
  readonly planning: Planning;
}

/**
 * - `by_values`: PostgreSQL's own way: a custom plan for the values, until it finds that a generic
 *   one costs the same.
 * - `once`: one generic plan for each statement and connection. Statements are written such that one
 *   plan fits all values.
 * - `once_by_index`: the same for tables that are short one moment and long the next, as queues are, and
 *   what texts and batches are written to when a month is new. A plan made in either is kept for the other,
 *   so it is an index scan: sequential and bitmap scans, which look cheap on an empty table, are off.
 * - `in_parallel`: by values, and with a second process where much is to be read. Not for hash tables in
 *   common, which may need more of /dev/shm than a container has.
 */
type Planning = "by_values" | "once" | "once_by_index" | "in_parallel";

// biome-ignore format: read as a table
export const PROFILES: Readonly<Record<Profile, ProfileSettings>> = {
  requests: { sharedConnections: 2, transactionConnections: 10, planning: "by_values" },
  lists:    { sharedConnections: 2, transactionConnections: 0,  planning: "once" },
  scans:    { sharedConnections: 2, transactionConnections: 0,  planning: "in_parallel" },
  groups:   { sharedConnections: 2, transactionConnections: 2,  planning: "once_by_index" },
  lanes:    { sharedConnections: 2, transactionConnections: 0,  planning: "once" },
  queues:   { sharedConnections: 2, transactionConnections: 0,  planning: "once_by_index" },
};

/** All of them, and the one that listens: what a process opens at most unless it is told otherwise. */
export const CONNECTIONS_PER_PROCESS = Object.values(PROFILES).reduce(
  (sum, profile) => sum + profile.sharedConnections + profile.transactionConnections,
  1,
);
/** Fewer than these transactions at a time would make requests wait for each other. */
const REQUEST_TRANSACTIONS_MIN = 2;
const BESIDE_REQUESTS = CONNECTIONS_PER_PROCESS - PROFILES.requests.transactionConnections;
export const CONNECTIONS_PER_PROCESS_MIN = BESIDE_REQUESTS + REQUEST_TRANSACTIONS_MIN;

/** The transactions of requests get what is left when everything else has its connections. */
export function requestTransactionsOf(connectionsPerProcess: number): number {
  return Math.max(REQUEST_TRANSACTIONS_MIN, connectionsPerProcess - BESIDE_REQUESTS);
}

const PLANNING: Readonly<Record<Planning, Readonly<Record<string, string>>>> = {
  by_values: {},
  once: { plan_cache_mode: "force_generic_plan" },
  once_by_index: {
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    enable_bitmapscan: "off",
  },
  in_parallel: { max_parallel_workers_per_gather: "1", enable_parallel_hash: "off" },
};

export interface ConnectionOptions {
  readonly connection: Connection;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** Whether the tables are distributed (Citus). */
  readonly isDistributed?: boolean;
}

/** What a session on Citus is set to, whatever it is for. */
const ON_CITUS: SessionSettings = {
  // Citus plans by the shard that a statement names: a generic plan does not know it.
  plan_cache_mode: "force_custom_plan",
  // One connection to each worker for each of ours: what they are together stays reckonable.
  "citus.max_adaptive_executor_pool_size": "1",
  "citus.multi_shard_modify_mode": "sequential",
  // A new partition takes its table's triggers, which see to rows of their own shard alone.
  "citus.enable_unsafe_triggers": "on",
  "citus.propagate_set_commands": "local",
};

const CONNECT_TIMEOUT_MS = 4_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** A database that does not even refuse in time is given up, and its connection with it. */
const ANSWER_GRACE_MS = 500;
const IDLE_IN_TRANSACTION_MS_MAX = 10_000;

/** Settings of PostgreSQL by their names. */
export type SessionSettings = Readonly<Record<string, string>>;

/** What a session is set to before it is used. */
export function sessionSettings(
  options: ConnectionOptions,
  profile: Profile = "requests",
): SessionSettings {
  return {
    timezone: "UTC",
    // Compiling a plan takes longer than any statement of ours should.
    jit: "off",
    statement_timeout: String(options.statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS_MAX),
    ...PLANNING[PROFILES[profile].planning],
    ...(options.isDistributed ? ON_CITUS : {}),
  };
}

/** How a connection is made. */
export function clientConfig(
  options: ConnectionOptions,
  types: pg.CustomTypesConfig,
): pg.ClientConfig {
  return {
    ...options.connection,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    application_name: "longwave",
  };
}

const TIMESTAMPTZ_OID = 1184;
const INT8_OID = 20;
const DATE_OID = 1082;

/**
 * How columns become values: timestamps are epoch milliseconds, big integers are
 * numbers, dates stay text. Every
 * connection runs in UTC, so a timestamp reads `2026-11-15 01:52:31.123+00`.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === TIMESTAMPTZ_OID) return parseTimestamptz;
    if (oid === INT8_OID) return parseInt8;
    if (oid === DATE_OID) return (text: string) => text;
    return pg.types.getTypeParser(oid, format as "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

function parseTimestamptz(text: string): number {
  if (text.length < 22 || !text.endsWith("+00")) return Date.parse(text);
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`An integer is too large to read: ${text}`);
  return value;
}
