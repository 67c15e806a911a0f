import type { Config } from "../../core/config/config.ts";
import { type Connection, readAddress } from "../../core/db/driver/hosts.ts";
import { startEmbedded } from "../../core/db/embedded/index.ts";
import { expect } from "../../core/platform/assert.ts";
import type { Clock } from "../../core/platform/clock.ts";
import { primaryFirst, readFacts, refuseUnsupported, warnings } from "./external-postgres-check.ts";

export interface RunningPostgres {
  /** Connection of the application's role. */
  readonly connection: Connection;
  /** Connection of the role that owns the tables. */
  readonly owner: Connection;
  /** The application's role, if it differs from the owner. */
  readonly application: string | null;
  stop(): Promise<void>;
}

/** For migrations, and a person with psql. */
const CONNECTIONS_SPARE = 2;
/** Connections of the embedded PostgreSQL, if its processes need no more. */
const CONNECTIONS_MIN = 200;
/** For creating and dropping partitions. */
const OWNER_CONNECTIONS = 3;

export interface OpenOptions {
  readonly clock: Clock;
  readonly progress: (line: string) => void;
  /** Aborted to give up waiting for a database that does not answer. */
  readonly stopping?: AbortSignal;
}

/** PostgreSQL of this installation: the server of DATABASE_URL, or the embedded one. */
export async function openPostgres(config: Config, options: OpenOptions): Promise<RunningPostgres> {
  const { progress } = options;
  if (config.databaseUrl === null) {
    progress("Starting the embedded PostgreSQL …");
    const embedded = await startEmbedded({
      dataDir: config.dataFolder,
      settings: { max_connections: String(Math.max(CONNECTIONS_MIN, connectionsNeeded(config))) },
      progress: (line) => progress(`  ${line}`),
    });
    return { ...embedded, application: embedded.connection.user };
  }
  progress("Connecting to the PostgreSQL that DATABASE_URL names …");
  return openOutside(config, config.databaseUrl, options);
}

async function openOutside(
  config: Config,
  url: string,
  options: OpenOptions,
): Promise<RunningPostgres> {
  const connection = addressOf(url);
  const owner = addressOf(config.databaseOwnerUrl ?? url);
  const facts = await readFacts(connection, options);
  const ownerFacts = config.databaseOwnerUrl === null ? facts : await readFacts(owner, options);
  refuseUnsupported({ ...facts, may_create: ownerFacts.may_create }, connectionsNeeded(config));
  for (const line of warnings(facts, ownerFacts)) options.progress(line);
  const application = facts.role === ownerFacts.role ? null : facts.role;
  return {
    connection: await primaryFirst(connection),
    owner: await primaryFirst(owner),
    application,
    stop: async () => {},
  };
}

function addressOf(url: string): Connection {
  return expect(readAddress(url), "an address was taken that cannot be read");
}

/** Maximum connections of this machine's processes together. */
export function connectionsNeeded(config: Config): number {
  const processes = config.processes > 1 ? config.processes + 1 : 1;
  const ofOwner = config.databaseOwnerUrl === null ? 0 : OWNER_CONNECTIONS;
  return processes * config.databaseConnections + ofOwner + CONNECTIONS_SPARE;
}
