import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { SMSC_USAGE, startSmscCommand } from "@longwave/smpp/smsc";
import {
  type Config,
  ConfigError,
  describeConfig,
  loadConfig,
  unknownVariableLine,
  unknownVariables,
} from "../core/config/config.ts";
import { distributeAtStart, distributeOnRequest } from "../core/db/citus/start.ts";
import { StartFailure, UsageFailure } from "../core/platform/assert.ts";
import { systemClock } from "../core/platform/clock.ts";
import { createLog, type Log } from "../core/platform/log.ts";
import { systemRandom } from "../core/platform/random.ts";
import {
  CarriersFileError,
  callbackProblems,
  describeCallbacks,
  describePresets,
  loadCarriers,
} from "../network/carriers/index.ts";
import { holdByHand } from "../surfaces/restore-guard/index.ts";
import { runApiProcess } from "./startup/api-process.ts";
import { backupCommand, restoreCommand } from "./startup/backup.ts";
import { primaryOf } from "./startup/external-postgres-check.ts";
import { exitStatusOf, explainFailure } from "./startup/failure.ts";
import { migrateDatabase } from "./startup/migrate-database.ts";
import { openPostgres } from "./startup/postgres.ts";
import { run } from "./startup/run.ts";
import { openLog, print, say } from "./startup/standard-error.ts";
import { endNow, stopOnSignals } from "./startup/stop.ts";
import { createTeardown, type Teardown } from "./startup/teardown.ts";

/**
 * Garbage allowed on top of live memory, in percent. V8's default allows three times as much, so a process
 * with bursts of work keeps memory that it does not need. Earlier collection costs a few milliseconds every
 * other second under load.
 */
const GARBAGE_PERCENT_MAX = 100;

const USAGE = `Usage: main.js [command]

  serve          starts the server (what it does without a command)
  migrate        brings the database up to date and ends
  distribute [--dry-run]
                 distributes the tables over the workers of Citus, or prints the statements that would
  console-link [--email ADDRESS]
                 prints a link into the console that works once: for the first person, or a new password
  twilio-ca [--pem]
                 says how programs trust this server under Twilio's host names, or prints the certificate
  backup FILE    packs the data folder, with its embedded database, while it runs or not
  restore FILE   makes a data folder of such a file; it starts on hold
  hold           puts the installation on hold, for a copy that was made in another way
  check-config   says which settings hold, and what is wrong with those that do not
  lint-registration URL|FOLDER
                 checks a website and example messages by the rules for registrations (--help says more)
  smsc           starts a message centre to try live texts with; smsc --help says more
  mock PROVIDER  starts a double of a provider's API to try live texts with; mock --help says more`;

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  serve: serveCommand,
  migrate: migrateCommand,
  hold: holdCommand,
  "check-config": checkConfigCommand,
};

const clock = systemClock();

async function main(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT_MAX}`);
  // A closed stdout must not stop the server.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  if (cluster.isWorker) {
    const config = loadConfig(process.env);
    const log = openLog(config);
    endOnFault(log, createTeardown());
    runApiProcess(config, log);
    return;
  }
  const [name = "serve", ...rest] = process.argv.slice(2);
  if (name === "console-link") return consoleLinkCommand(rest);
  if (name === "lint-registration") return lintRegistrationCommand(rest);
  if (name === "smsc") return smscCommand(rest);
  if (name === "mock") return mockCommand(rest);
  if (name === "twilio-ca") return twilioCertificateCommand(rest);
  if (name === "distribute") return distributeCommand(rest);
  const [file] = rest;
  if (name === "backup" && file !== undefined && rest.length === 1) {
    console.log(await backupCommand(loadConfig(process.env), file, clock.now()));
    return;
  }
  if (name === "restore" && file !== undefined && rest.length === 1) {
    console.log(await restoreCommand(loadConfig(process.env), file));
    return;
  }
  const command = COMMANDS[name];
  if (command && rest.length === 0) return command();
  console.error(USAGE);
  process.exit(name === "--help" || name === "help" ? 0 : 2);
}

async function serveCommand(): Promise<void> {
  const config = loadConfig(process.env);
  for (const name of unknownVariables(process.env)) say(unknownVariableLine(name));
  const log = openLog(config);
  const teardown = createTeardown();
  const stopping = new AbortController();
  endOnFault(log, teardown);
  const started = run({
    config,
    clock,
    log,
    mainFile: fileURLToPath(import.meta.url),
    teardown,
    stopping: stopping.signal,
    onReplaced: (sentence) => {
      say(`${sentence} It ends, and starts on hold.`);
      void endNow(teardown, clock);
    },
    say,
    print,
  });
  const stopStarting = () => stopping.abort();
  const reload = async () => {
    const running = await started;
    say(await running.reloadCarriers());
  };
  // Without a carriers file, SIGHUP (a closed terminal) stops the server.
  const onHangUp =
    config.carriersFile === null
      ? null
      : () => void reload().catch((error: unknown) => say(explainFailure(error)));
  stopOnSignals({ teardown, clock, say, started, stopStarting, onHangUp });
  try {
    await started;
  } catch (error) {
    // A signal during the start: the signal handler closes everything.
    if (stopping.signal.aborted) return;
    await teardown.run().catch(() => {});
    throw error;
  }
}

async function migrateCommand(): Promise<void> {
  const config = loadConfig(process.env);
  const postgres = await openPostgres(config, { clock, progress: say });
  try {
    const { shards } = config;
    const log = openLog(config);
    const owner = await migrateDatabase(postgres, { clock, log, say });
    await distributeAtStart({ owner, shards, say });
    print("The database is up to date.");
  } finally {
    await postgres.stop();
  }
}

async function distributeCommand(args: readonly string[]): Promise<void> {
  const [flag, ...more] = args;
  if (more.length > 0 || (flag !== undefined && flag !== "--dry-run")) {
    console.error(USAGE);
    process.exit(2);
  }
  const config = loadConfig(process.env);
  const { shards } = config;
  const isDryRun = flag === "--dry-run";
  const postgres = await openPostgres(config, { clock, progress: say });
  try {
    const log = openLog(config);
    const owner = isDryRun
      ? await primaryOf(postgres.owner)
      : await migrateDatabase(postgres, { clock, log, say });
    print(await distributeOnRequest({ owner, shards, isDryRun, say: print }));
  } finally {
    await postgres.stop();
  }
}

async function holdCommand(): Promise<void> {
  const postgres = await openPostgres(loadConfig(process.env), { clock, progress: say });
  try {
    await holdByHand(await primaryOf(postgres.connection));
    print("On hold. The server starts, or starts again, without sending anything.");
  } finally {
    await postgres.stop();
  }
}

/** Runs until it is stopped. */
async function smscCommand(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) {
    console.log(SMSC_USAGE);
    return;
  }
  await startPeer("smsc", () => startSmscCommand(args, (line) => console.log(line)));
}

async function mockCommand(args: readonly string[]): Promise<void> {
  const { MOCK_USAGE, startMockCommand } = await import("../network/carriers/doubles/command.ts");
  if (args.includes("--help")) {
    console.log(MOCK_USAGE);
    return;
  }
  const deps = { clock, random: systemRandom() };
  await startPeer("mock", () => startMockCommand(args, deps, (line) => console.log(line)));
}

/** Starts a stand-in for a carrier; its errors are the user's or the machine's. */
async function startPeer(name: string, start: () => Promise<unknown>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const message = `${name}: ${(error as Error).message} (${name} --help says more)`;
    // Errors of the system, such as a port in use, are not usage errors.
    const isOfMachine = typeof (error as NodeJS.ErrnoException).syscall === "string";
    const Kind = isOfMachine ? StartFailure : UsageFailure;
    throw new Kind(message, { cause: error });
  }
}

async function checkConfigCommand(): Promise<void> {
  const { lines, problems } = describeConfig(process.env);
  if (problems.length === 0) {
    const carriers = await checkCarriersFile();
    lines.push(...carriers.lines);
    problems.push(...carriers.problems);
  }
  for (const line of lines) console.log(line);
  for (const problem of problems) say(problem);
  if (problems.length > 0) process.exitCode = 1;
}

async function consoleLinkCommand(args: readonly string[]): Promise<void> {
  const [flag, email, ...more] = args;
  if (more.length > 0 || (flag !== undefined && (flag !== "--email" || email === undefined))) {
    console.error(USAGE);
    process.exit(2);
  }
  const { printConsoleLink } = await import("./startup/console-link.ts");
  const log = createLog({ level: "silent" });
  await printConsoleLink({
    config: settingsGiven(),
    clock,
    log,
    say,
    email: email ?? null,
  });
}

async function twilioCertificateCommand(args: readonly string[]): Promise<void> {
  const [flag, ...more] = args;
  if (more.length > 0 || (flag !== undefined && flag !== "--pem")) {
    console.error(USAGE);
    process.exit(2);
  }
  const { twilioCaCommand } = await import("./startup/twilio-ca.ts");
  console.log(await twilioCaCommand(settingsGiven(), flag === "--pem"));
}

async function lintRegistrationCommand(args: readonly string[]): Promise<void> {
  const { lintCommand } = await import("../network/registrations/lint/command.ts");
  process.exitCode = await lintCommand(args, {
    config: settingsGiven(),
    now: clock.monotonic,
    print: (text) => console.log(text),
    say,
  });
}

/** For commands whose exit status 1 means something else, or that start nothing. */
function settingsGiven(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageFailure(error.message, { cause: error });
  }
}

async function checkCarriersFile(): Promise<{ lines: string[]; problems: string[] }> {
  try {
    const config = loadConfig(process.env);
    const carriers = await loadCarriers(config, process.env);
    const problems = callbackProblems(carriers, config.publicUrl);
    return { lines: [...describePresets(carriers), ...describeCallbacks(carriers)], problems };
  } catch (error) {
    if (error instanceof CarriersFileError)
      return { lines: [], problems: error.message.split("\n") };
    throw error;
  }
}

/** After an uncaught error any state may be broken: log it and exit. */
function endOnFault(log: Log, teardown: Teardown): void {
  const end = (error: unknown) => {
    log.fatal({ err: error }, "process: uncaught error");
    void endNow(teardown, clock);
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}

main().catch((error: unknown) => {
  say(explainFailure(error));
  process.exit(exitStatusOf(error));
});
