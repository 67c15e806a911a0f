import { assemble } from "./assemble.ts";
import { ConfigError, loadConfig, unknownVariables } from "./config.ts";
import { migrate } from "./db/migrate.ts";
import { createLog } from "./platform/log.ts";
import { startWorker } from "./queue/worker.ts";
import { serve } from "./serve.ts";
import { openDataFolder } from "./startup/data-folder.ts";
import { openPostgres } from "./startup/postgres.ts";
import { welcome } from "./startup/welcome.ts";

const STOP_MS_MAX = 25_000;
const SIGNAL_ECHO_MS = 1_000;

/** Starts everything, in order, saying what it does; the first thing that fails ends the start. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  for (const name of unknownVariables(process.env))
    say(`Ignoring ${name}: there is no such setting.`);
  const log = createLog({ level: config.logLevel });
  const folder = await openDataFolder(config);
  const postgres = await openPostgres(config, say);
  await migrate(postgres.connection, say);
  const { deps, close } = await assemble({
    config,
    connection: postgres.connection,
    rootKey: folder.rootKey,
    log,
  });
  const server = await serve(deps, {
    host: config.host,
    port: config.port,
    operatorToken: folder.operatorToken,
  });
  const worker = config.roles.includes("worker") ? await startWorker(deps) : null;
  await welcome(deps, folder, server.url, (line) => console.log(line));

  const stop = async () => {
    say("Stopping …");
    await server.close();
    await worker?.stop();
    await close();
    await postgres.stop();
  };
  stopOnSignals(stop);
}

/** Finishes what is in hand; a second signal, or too long a wait, ends it at once. */
function stopOnSignals(stop: () => Promise<void>): void {
  let isStopping = false;
  let isEcho = true;
  const onSignal = () => {
    if (isStopping && !isEcho) process.exit(1);
    if (isStopping) return;
    isStopping = true;
    // A terminal signals the whole process group, and npm and the start script pass the same on.
    setTimeout(() => (isEcho = false), SIGNAL_ECHO_MS).unref();
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

function say(line: string): void {
  console.error(line);
}

main().catch((error: unknown) => {
  const isForPeople = error instanceof ConfigError || (error as Error).name !== "Error";
  console.error(isForPeople ? (error as Error).message : error);
  process.exit(1);
});
