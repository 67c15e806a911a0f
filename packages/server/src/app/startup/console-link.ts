import type { Config } from "../../core/config/config.ts";
import type { Connection } from "../../core/db/driver/hosts.ts";
import { DataFolderBusy, findCluster, reachEmbedded } from "../../core/db/embedded/index.ts";
import { StartFailure, UsageFailure } from "../../core/platform/assert.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import { consoleLink } from "../../surfaces/console/index.ts";
import { assemble } from "../assemble.ts";
import { openDataFolder } from "./data-folder.ts";
import { readListening } from "./listening-file.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { openPostgres } from "./postgres.ts";

/** Prints one console link, made in the database of the running or a future server. */
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
  const database = await openDatabase(config, { clock, log, say });
  try {
    const { connection, url } = database;
    const { deps, close } = await assemble({
      config: { ...config, publicUrl: config.publicUrl ?? url },
      connection,
      rootKey: folder.rootKey,
      log,
    });
    try {
      // biome-ignore lint/suspicious/noConsole: the link is what the command is for
      console.log(await consoleLink(deps, email));
    } finally {
      await close();
    }
  } finally {
    await database.stop();
  }
}

/** Refuses without a database: a link in a database that no server uses would be useless. */
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
  /** Address of the server that runs on it, where known. */
  readonly url: string | null;
  stop(): Promise<void>;
}

/** The installation's database: of the running server, or started for this command. */
async function openDatabase(
  config: Config,
  context: { readonly clock: Clock; readonly log: Log; readonly say: (line: string) => void },
): Promise<Database> {
  const { clock, say } = context;
  try {
    const postgres = await openPostgres(config, { clock, progress: say });
    try {
      await migrateDatabase(postgres, context);
      return { ...postgres, url: null };
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
    say("The server runs: asking its database.");
    return {
      connection: await reachRunning(config),
      url: (await readListening(config.dataFolder))?.url ?? null,
      stop: async () => {},
    };
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
