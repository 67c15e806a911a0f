import pg from "pg";
import type { Connection } from "./hosts.ts";

/**
 * Profiles: named sets of connections with planner settings.
 *
 * - `requests`: single statements of requests, planned for their values.
 * - `lists`: lists that take longer to plan than to run.
 * - `scans`: reads of all data of an account, 100 ms and longer. Statements on one connection queue behind each other,
 *   so scans queue only behind scans.
 * - `groups`: group commits of requests.
 * - `lanes`: chunks of lanes, so that no request queues behind one.
 * - `queues`: claims, and outcomes of claimed work.
 */
export type Profile = "requests" | "lists" | "scans" | "groups" | "lanes" | "queues";

interface ProfileSettings {
  /** Connections shared by single statements and pipelines, which do not wait for each other. */
  readonly sharedConnections: number;
  /** Connections exclusive to one transaction. */
  readonly transactionConnections: number;
  readonly planning: Planning;
}

/**
 * - `by_values`: PostgreSQL's default: custom plans, until a generic plan costs the same.
 * - `once`: one generic plan per statement and connection. Statements are written so that one plan fits all values.
 * - `once_by_index`: `once` without sequential and bitmap scans, which look cheap while a table is empty. For queues,
 *   whose length varies, and for tables that messages and batches write to, which are empty each month.
 * - `in_parallel`: by values, with a parallel worker for large reads. No parallel hash, which may need more of /dev/shm
 *   than a container has.
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

/** Default connections of a process: all profiles, plus the LISTEN connection. */
export const CONNECTIONS_PER_PROCESS = Object.values(PROFILES).reduce(
  (sum, profile) => sum + profile.sharedConnections + profile.transactionConnections,
  1,
);
/** Minimum concurrent request transactions; with fewer, requests would wait for each other. */
const REQUEST_TRANSACTIONS_MIN = 2;
const BESIDE_REQUESTS = CONNECTIONS_PER_PROCESS - PROFILES.requests.transactionConnections;
export const CONNECTIONS_PER_PROCESS_MIN = BESIDE_REQUESTS + REQUEST_TRANSACTIONS_MIN;

/** Request transactions get the connections that the other profiles leave. */
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

/** Session settings on Citus, for all profiles. */
const ON_CITUS: SessionSettings = {
  // Citus plans by the shard in a statement, which a generic plan does not know.
  plan_cache_mode: "force_custom_plan",
  // One connection per worker for each session, so that their number stays predictable.
  "citus.max_adaptive_executor_pool_size": "1",
  "citus.multi_shard_modify_mode": "sequential",
  // A new partition inherits its table's triggers, which only touch rows of their own shard.
  "citus.enable_unsafe_triggers": "on",
  "citus.propagate_set_commands": "local",
};

const CONNECT_TIMEOUT_MS = 4_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/**
 * Added to statement_timeout. A database that does not even cancel in time loses its connection.
 */
const ANSWER_GRACE_MS = 500;
const IDLE_IN_TRANSACTION_MS_MAX = 10_000;

/** PostgreSQL settings by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/** Settings of a session before its first statement. */
export function sessionSettings(
  options: ConnectionOptions,
  profile: Profile = "requests",
): SessionSettings {
  return {
    timezone: "UTC",
    // Compiling a plan takes longer than any of our statements.
    jit: "off",
    statement_timeout: String(options.statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS_MAX),
    ...PLANNING[PROFILES[profile].planning],
    ...(options.isDistributed ? ON_CITUS : {}),
  };
}

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
 * Column parsers: timestamps become epoch milliseconds, bigints numbers; dates stay strings. Sessions run in UTC, so a
 * timestamp reads `2026-11-15 01:52:31.123+00`.
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
