import pg from "pg";
import type { Config } from "../config.ts";
import { startEmbedded } from "../db/embedded/index.ts";
import { isUnavailable, sqlStateOf } from "../db/failures.ts";
import { CONNECTIONS_PER_PROCESS } from "../db/profiles.ts";
import { StartFailure } from "../platform/assert.ts";
import type { Clock } from "../platform/clock.ts";

export interface RunningPostgres {
  /** What the application connects as. */
  readonly connection: pg.ClientConfig;
  /** Who makes and changes tables. */
  readonly owner: pg.ClientConfig;
  /** The application's role, where it is another than the owner. */
  readonly application: string | null;
  stop(): Promise<void>;
}

const VERSION_OLDEST = 15;
const CONNECT_TIMEOUT_MS = 5_000;
/** A database that is started together with us needs a moment. */
const CONNECT_PATIENCE_MS = 30_000;
const CONNECT_RETRY_MS = 1_000;
/** Migrations, and a person with psql. */
const CONNECTIONS_SPARE = 2;
/** While partitions are made and dropped. */
const OWNER_CONNECTIONS = 3;

/** The PostgreSQL of this installation: the one that DATABASE_URL names, or our own. */
export async function openPostgres(
  config: Config,
  clock: Clock,
  progress: (line: string) => void,
): Promise<RunningPostgres> {
  if (config.databaseUrl === null) {
    progress("Starting the embedded PostgreSQL …");
    const embedded = await startEmbedded({
      dataDir: config.dataFolder,
      progress: (line) => progress(`  ${line}`),
    });
    return { ...embedded, application: embedded.connection.user };
  }
  progress("Connecting to the PostgreSQL that DATABASE_URL names …");
  return openOutside(config, config.databaseUrl, clock, progress);
}

async function openOutside(
  config: Config,
  url: string,
  clock: Clock,
  progress: (line: string) => void,
): Promise<RunningPostgres> {
  const connection = { connectionString: url };
  const owner = { connectionString: config.databaseOwnerUrl ?? url };
  const facts = await readFacts(connection, clock, progress);
  const ownerFacts =
    config.databaseOwnerUrl === null ? facts : await readFacts(owner, clock, progress);
  refuseUnfit({ ...facts, may_create: ownerFacts.may_create }, connectionsNeeded(config));
  for (const line of warnings(facts, ownerFacts)) progress(line);
  const application = facts.role === ownerFacts.role ? null : facts.role;
  return { connection, owner, application, stop: async () => {} };
}

/** What this machine's processes may open at the same time. */
export function connectionsNeeded(config: Config): number {
  const processes = config.processes > 1 ? config.processes + 1 : 1;
  const ofOwner = config.databaseOwnerUrl === null ? 0 : OWNER_CONNECTIONS;
  return processes * CONNECTIONS_PER_PROCESS + ofOwner + CONNECTIONS_SPARE;
}

/** What decides whether a PostgreSQL can be used. */
export interface ServerFacts {
  readonly role: string;
  readonly is_superuser: boolean;
  readonly version: number;
  readonly encoding: string;
  readonly is_replica: boolean;
  readonly may_create: boolean;
  readonly connections_max: number;
  readonly is_durable: boolean;
}

const FACTS = `
  select current_user as role,
         (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
         current_setting('server_version_num')::int / 10000 as version,
         current_setting('server_encoding') as encoding,
         pg_is_in_recovery() as is_replica,
         coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
         current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int as connections_max,
         current_setting('fsync')::bool and current_setting('synchronous_commit') <> 'off' as is_durable`;

async function readFacts(
  connection: pg.ClientConfig,
  clock: Clock,
  progress: (line: string) => void,
): Promise<ServerFacts> {
  const giveUpAtMs = clock.monotonic() + CONNECT_PATIENCE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query<ServerFacts>(FACTS)).rows[0] as ServerFacts;
    } catch (error) {
      const isWorthWaiting = isUnavailable(error) && clock.monotonic() < giveUpAtMs;
      if (!isWorthWaiting) throw explainConnectError(error);
      if (attempt === 1) progress("  it does not answer yet; waiting for it …");
      await clock.sleep(CONNECT_RETRY_MS);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

const CONNECT_EXPLANATIONS: Readonly<Record<string, string>> = {
  "28P01": "it refuses the user or the password",
  "28000": "it does not let this user in from here",
  "3D000": "it has no such database",
  "42501": "this user may not read its settings",
};

function explainConnectError(error: unknown): StartFailure {
  const known = CONNECT_EXPLANATIONS[sqlStateOf(error) ?? ""];
  // The message of the driver names hosts and users, never the password.
  const reason = known ?? (error as Error).message;
  return new StartFailure(
    `DATABASE_URL names a PostgreSQL that cannot be used: ${reason}. Correct it, or unset it to use the embedded one.`,
    { cause: error },
  );
}

/** Refuses what would fail later, and worse. */
export function refuseUnfit(facts: ServerFacts, needed: number): void {
  const refuse = (what: string) => {
    throw new StartFailure(`DATABASE_URL names a PostgreSQL that ${what}.`);
  };
  if (facts.version < VERSION_OLDEST) {
    refuse(`is version ${facts.version}: Longwave needs ${VERSION_OLDEST} or newer`);
  }
  if (facts.encoding !== "UTF8") {
    refuse(`stores text as ${facts.encoding}: create its database with encoding UTF8`);
  }
  if (facts.is_replica) refuse("is a read-only replica: name the primary");
  if (!facts.may_create) {
    refuse(
      "lets this user create no tables: make the user the owner of the database, or grant create on its schema",
    );
  }
  if (facts.connections_max < needed) {
    refuse(
      `takes ${facts.connections_max} connections where ${needed} are needed: raise its max_connections, or lower LONGWAVE_PROCESSES`,
    );
  }
}

function warnings(facts: ServerFacts, owner: ServerFacts): string[] {
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
