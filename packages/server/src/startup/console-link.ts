import { assemble } from "../assemble.ts";
import type { Config } from "../config.ts";
import { consoleLink } from "../console/index.ts";
import { migrate } from "../db/migrate.ts";
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
  const folder = await openDataFolder(config);
  const postgres = await openPostgres(config, clock, say);
  try {
    const { connection, owner, application } = postgres;
    await migrate(await primaryOf(owner), say, application);
    const { deps, close } = await assemble({ config, connection, rootKey: folder.rootKey, log });
    try {
      const origin = config.publicUrl ?? `http://${config.host}:${config.port}`;
      // biome-ignore lint/suspicious/noConsole: the link is what the command is for
      console.log(await consoleLink(deps, origin, email));
    } finally {
      await close();
    }
  } finally {
    await postgres.stop();
  }
}
