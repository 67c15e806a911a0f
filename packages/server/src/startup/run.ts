import { assemble } from "../assemble.ts";
import type { Config } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { startWorker } from "../queue/worker.ts";
import { serve } from "../serve.ts";
import { startApiProcesses } from "./api-processes.ts";
import { openDataFolder } from "./data-folder.ts";
import { firstRun } from "./first-run.ts";
import { openPostgres } from "./postgres.ts";
import type { Teardown } from "./teardown.ts";
import { welcome } from "./welcome.ts";

export interface RunOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** The program itself: more processes of it are started from here. */
  readonly mainFile: string;
  readonly teardown: Teardown;
  /** Aborted when the start is not to go on. */
  readonly stopping: AbortSignal;
  /** Says what is being done, to whoever waits. */
  readonly say: (line: string) => void;
  /** Prints the result. */
  readonly print: (line: string) => void;
}

/** Starts everything, in order, saying what it does; the first thing that fails ends the start. */
export async function run(options: RunOptions): Promise<void> {
  const { config, clock, log, teardown, stopping, say, print } = options;
  const folder = await openDataFolder(config);
  const postgres = await openPostgres(config, clock, say);
  teardown.add(() => postgres.stop(), { outlivesUs: true });
  stopping.throwIfAborted();

  await migrate(postgres.connection, say);
  stopping.throwIfAborted();

  const { connection } = postgres;
  const { rootKey, operatorToken } = folder;
  const { deps, close } = await assemble({ config, connection, rootKey, log });
  teardown.add(close);
  const made = await firstRun(deps, folder);
  if (config.roles.includes("worker")) {
    const worker = await startWorker(deps);
    teardown.add(() => worker.stop());
  }
  stopping.throwIfAborted();

  if (!config.roles.includes("api")) {
    print("Longwave is ready. It works in the background only (LONGWAVE_ROLES).");
    return;
  }
  const api =
    config.processes === 1
      ? await serve(deps, { host: config.host, port: config.port, operatorToken })
      : await startApiProcesses({
          mainFile: options.mainFile,
          processes: config.processes,
          start: { connection, rootKey: rootKey.toString("hex"), operatorToken },
          clock,
          log,
        });
  teardown.add(() => api.close());
  await welcome({ url: api.url, folder, made, print });
}
