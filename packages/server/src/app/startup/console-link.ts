import { assemble } from "../assemble.ts";
import type { Config } from "../config.ts";
import { consoleLink } from "../console/index.ts";
import { DataFolderBusy, findCluster, reachEmbedded } from "../db/embedded/index.ts";
import type { Connection } from "../db/hosts.ts";
import { migrate } from "../db/migrate.ts";
import { StartFailure, UsageFailure } from "../platform/assert.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { openDataFolder } from "./data-folder.ts";
import { primaryOf } from "./outside-facts.ts";
import { openPostgres } from "./postgres.ts";

/** Prints one link into the console, on the same database as the server that runs or will run. */
export async function printConsoleLink(options: {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: (line: string) => void;
  readonly email: string | null;
}): Promise<void> {
  const { config, clock, log, say, email } = options;
  await refuseWithoutDatabase(config);
  const folder = await openDataFolder(config);
  const database = await openDatabase(config, clock, say);
  try {
    const { connection } = database;
    const { deps, close } = await assemble({ config, connection, rootKey: folder.rootKey, log });
    try {
      const origin = config.publicUrl ?? `http://${config.host}:${config.port}`;
      // biome-ignore lint/suspicious/noConsole: the link is what the command is for
      console.log(await consoleLink(deps, origin, email));
    } finally {
      await close();
    }
  } finally {
    await database.stop();
  }
}

/** A link into a database that nobody serves would be made in vain. */
async function refuseWithoutDatabase({ databaseUrl, dataFolder }: Config): Promise<void> {
  if (databaseUrl !== null) return;
  try {
    await findCluster(dataFolder);
  } catch (error) {
    throw new UsageFailure((error as Error).message, { cause: error });
  }
}

interface Database {
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** The installation's database: brought up for the moment, or as the server that runs has it. */
async function openDatabase(
  config: Config,
  clock: Clock,
  say: (line: string) => void,
): Promise<Database> {
  try {
    const postgres = await openPostgres(config, clock, say);
    try {
      await migrate(await primaryOf(postgres.owner), say, postgres.application);
      return postgres;
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
    say("The server runs: asking its database.");
    return { connection: await reachRunning(config), stop: async () => {} };
  }
}

async function reachRunning({ dataFolder }: Config): Promise<Connection> {
  try {
    return await reachEmbedded(dataFolder);
  } catch (error) {
    throw new StartFailure(
      `The database of the server that has ${dataFolder} does not answer (${(error as Error).message}). If that one is starting, wait until it listens; if another account runs it, use that account.`,
      { cause: error },
    );
  }
}
