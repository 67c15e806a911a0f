import type { ClientConfig } from "pg";
import type { Config } from "../config.ts";
import { startEmbedded } from "../db/embedded/index.ts";

export interface RunningPostgres {
  readonly connection: ClientConfig;
  stop(): Promise<void>;
}

/** The PostgreSQL of this installation: the one that DATABASE_URL names, or our own. */
export async function openPostgres(
  config: Config,
  progress: (line: string) => void,
): Promise<RunningPostgres> {
  if (config.databaseUrl) {
    return { connection: { connectionString: config.databaseUrl }, stop: async () => {} };
  }
  progress("Starting the embedded PostgreSQL …");
  return startEmbedded({ dataDir: config.dataFolder, progress });
}
