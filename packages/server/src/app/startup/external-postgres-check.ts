import pg from "pg";
import { isUnavailable, sqlStateOf } from "../../core/db/driver/failures.ts";
import type { Connection } from "../../core/db/driver/hosts.ts";
import { expect, StartFailure } from "../../core/platform/assert.ts";
import type { Clock } from "../../core/platform/clock.ts";

const VERSION_OLDEST = 15;
const CONNECT_TIMEOUT_MS = 5_000;
/** Time for a database that starts together with this process. */
const CONNECT_DEADLINE_MS = 30_000;
const CONNECT_RETRY_MS = 1_000;

/** Properties that decide whether a PostgreSQL is usable. */
export interface ServerFacts {
  readonly role: string;
  readonly is_superuser: boolean;
  readonly version: number;
  readonly encoding: string;
  readonly is_replica: boolean;
  /** Timeline of the WAL. Between two writable servers, the higher one has replaced the other. */
  readonly timeline: number;
  readonly may_create: boolean;
  readonly connections_max: number;
  readonly is_durable: boolean;
  /** A pooler in transaction mode: each transaction may run in another session. */
  readonly shares_sessions: boolean;
}

const FACTS = `
  select current_user as role,
         (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
         current_setting('server_version_num')::int / 10000 as version,
         current_setting('server_encoding') as encoding,
         pg_is_in_recovery() as is_replica,
         case when pg_is_in_recovery() then 0
              else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
         coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
         current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int as connections_max,
         current_setting('fsync')::bool and current_setting('synchronous_commit') <> 'off' as is_durable`;

interface WaitOptions {
  readonly clock: Clock;
  readonly progress: (line: string) => void;
  readonly stopping?: AbortSignal;
}

export async function readFacts(
  connection: Connection,
  { clock, progress, stopping }: WaitOptions,
): Promise<ServerFacts> {
  const stopped = untilAborted(stopping);
  const giveUpAtMs = clock.monotonic() + CONNECT_DEADLINE_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await Promise.race([readPrimaryFacts(connection), stopped]);
    } catch (error) {
      stopping?.throwIfAborted();
      const isWorthWaiting = isUnavailable(error) && clock.monotonic() < giveUpAtMs;
      if (!isWorthWaiting) throw explainConnectError(error);
      if (attempt === 1) progress("  it does not answer yet; waiting for it …");
      await clock.sleep(CONNECT_RETRY_MS, stopping);
      stopping?.throwIfAborted();
    }
  }
}

/** Rejects when the signal aborts: a connection attempt may take seconds. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  const stopped = new Promise<never>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => {});
  return stopped;
}

/** Facts of the primary among the addresses, or of a replica if there is none. */
async function readPrimaryFacts(connection: Connection): Promise<ServerFacts> {
  return (await findPrimary(connection)).facts;
}

/** Address of the primary, for work that needs a single connection. */
export async function primaryOf(connection: Connection): Promise<pg.ClientConfig> {
  const { addresses, ...one } = connection;
  return addresses === undefined ? one : (await findPrimary(connection)).config;
}

/** The same addresses with the primary's first, so that connects try it first. */
export async function primaryFirst(connection: Connection): Promise<Connection> {
  const { addresses } = connection;
  if (addresses === undefined) return connection;
  const { connectionString = "" } = await primaryOf(connection);
  const others = addresses.filter((address) => address !== connectionString);
  return { ...connection, connectionString, addresses: [connectionString, ...others] };
}

async function findPrimary(connection: Connection): Promise<Found> {
  const found: Found[] = [];
  let failure: unknown = null;
  for (const config of configsOf(connection)) {
    try {
      found.push({ config, facts: await readFactsAt(config) });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      failure = error;
    }
  }
  const [newest] = found.sort((a, b) => b.facts.timeline - a.facts.timeline);
  // A lone replica: its primary may be down only for now.
  if (newest === undefined || (newest.facts.is_replica && failure !== null)) throw failure;
  return newest;
}

interface Found {
  readonly config: pg.ClientConfig;
  readonly facts: ServerFacts;
}

function configsOf({ addresses, ...one }: Connection): pg.ClientConfig[] {
  return addresses?.map((connectionString) => ({ ...one, connectionString })) ?? [one];
}

async function readFactsAt(config: pg.ClientConfig): Promise<ServerFacts> {
  const settings = { ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const [one, other] = [new pg.Client(settings), new pg.Client(settings)];
  for (const client of [one, other]) client.on("error", () => {});
  try {
    await one.connect();
    const facts = (await one.query<Omit<ServerFacts, "shares_sessions">>(FACTS)).rows[0];
    await other.connect();
    const shares_sessions = await sharesSessions(one, other);
    return { ...expect(facts, "PostgreSQL returned no row for its settings"), shares_sessions };
  } finally {
    await Promise.all([one.end().catch(() => {}), other.end().catch(() => {})]);
  }
}

const SESSION_PROBES = 5;

/**
 * Detects a pooler that shares sessions between clients. Then nothing that belongs to a session (prepared
 * statements, LISTEN, settings, advisory locks) is reliable.
 */
async function sharesSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const sessions = new Map<pg.Client, Set<number>>([
    [one, new Set()],
    [other, new Set()],
  ]);
  for (let look = 0; look < SESSION_PROBES; look += 1) {
    for (const [client, seen] of sessions) {
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      seen.add(rows[0]?.pid ?? 0);
    }
  }
  const all = [...sessions.values()].flatMap((seen) => [...seen]);
  return all.length !== sessions.size || new Set(all).size !== sessions.size;
}

const CONNECT_EXPLANATIONS: Readonly<Record<string, string>> = {
  "28P01": "it refuses the user or the password",
  "28000": "it does not let this user in from here",
  "3D000": "it has no such database",
  "42501": "this user may not read its settings",
};

function explainConnectError(error: unknown): StartFailure {
  const known = CONNECT_EXPLANATIONS[sqlStateOf(error) ?? ""];
  // The driver's message names hosts and users, never the password.
  const reason = known ?? (error as Error).message;
  return new StartFailure(
    `DATABASE_URL names a PostgreSQL that cannot be used: ${reason}. Correct it, or unset it to use the embedded one.`,
    { cause: error },
  );
}

/** Refuses servers that would cause failures later. */
export function refuseUnsupported(facts: ServerFacts, needed: number): void {
  const refuse = (what: string) => {
    throw new StartFailure(`DATABASE_URL names a PostgreSQL that ${what}.`);
  };
  if (facts.version < VERSION_OLDEST) {
    refuse(`is version ${facts.version}: Longwave needs ${VERSION_OLDEST} or newer`);
  }
  if (facts.encoding !== "UTF8") {
    refuse(`stores text as ${facts.encoding}: create its database with encoding UTF8`);
  }
  if (facts.shares_sessions) {
    refuse(
      "is behind a pooler that shares sessions between clients: Longwave keeps prepared statements and listens, so set the pooler to session mode (pool_mode = session), or go around it",
    );
  }
  if (facts.is_replica)
    refuse("is a read-only replica: name the primary, or all hosts of which one is");
  if (!facts.may_create) {
    refuse(
      "lets this user create no tables: make the user the owner of the database, or grant create on its schema",
    );
  }
  if (facts.connections_max < needed) {
    refuse(
      `takes ${facts.connections_max} connections where ${needed} are needed: raise its max_connections, or lower LONGWAVE_PROCESSES or LONGWAVE_DATABASE_CONNECTIONS`,
    );
  }
}

export function warnings(facts: ServerFacts, owner: ServerFacts): string[] {
  const lines: string[] = [];
  if (!facts.is_durable) {
    lines.push(
      "  Warning: fsync or synchronous_commit is off there, so a power cut may lose accepted messages.",
    );
  }
  const what = facts.is_superuser ? "is a superuser" : "owns the tables";
  if (facts.is_superuser || facts.role === owner.role) {
    lines.push(
      `  Note: the role ${facts.role} ${what}. With a limited one in DATABASE_URL and the owner in DATABASE_OWNER_URL nothing could rewrite the ledgers (docs/operations.md).`,
    );
  }
  return lines;
}
