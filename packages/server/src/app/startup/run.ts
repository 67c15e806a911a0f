import type { Config } from "../../core/config/config.ts";
import { distributeAtStart } from "../../core/db/citus/start.ts";
import type { LastSeen } from "../../core/db/driver/database-identity.ts";
import type { Connection } from "../../core/db/driver/hosts.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import { startWorker } from "../../core/queue/worker.ts";
import { CarriersFileError } from "../../network/carriers/index.ts";
import { firstLink } from "../../surfaces/console/index.ts";
import { watchedRoutes } from "../../surfaces/health/routes.ts";
import {
  checkDatabaseIdentity,
  refuseWhileGuarded,
  startHeartbeat,
  waitForRelease,
} from "../../surfaces/restore-guard/index.ts";
import { assemble } from "../assemble.ts";
import type { Deps } from "../deps.ts";
import { type RunningServer, serve } from "../serve.ts";
import { createMetricsGatherer, type MetricsGatherer } from "./api-metrics.ts";
import { type ApiProcessesOptions, everyProcess, startApiProcesses } from "./api-supervisor.ts";
import { buildOf } from "./build-of.ts";
import { checkBeforeStart } from "./check-before-start.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { primaryOf } from "./external-postgres-check.ts";
import { firstRun } from "./first-run.ts";
import { recordListening } from "./listening-file.ts";
import { serveMetrics } from "./metrics-server.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { openPostgres, type RunningPostgres } from "./postgres.ts";
import type { Teardown } from "./teardown.ts";
import { beginWarmUp } from "./warm-up.ts";
import { welcome } from "./welcome.ts";

/** Controls of a running server. */
export interface Running {
  /** Reloads the carriers file in every process; returns the result as a sentence. */
  reloadCarriers(): Promise<string>;
}

export interface RunOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Main file, which the additional processes run, too. */
  readonly mainFile: string;
  readonly teardown: Teardown;
  /** Aborted to stop a start in progress. */
  readonly stopping: AbortSignal;
  /** Ends the process: its database was replaced, or the restore guard is set. */
  readonly onReplaced: (sentence: string) => void;
  /** Prints progress. */
  readonly say: (line: string) => void;
  /** Prints the result. */
  readonly print: (line: string) => void;
}

/** Starts everything in order. The first failure ends the start. */
export async function run(options: RunOptions): Promise<Running> {
  const { config, clock, log, teardown, stopping, say, print } = options;
  await checkBeforeStart(config);
  const folder = await openDataFolder(config);
  const postgres = await openPostgres(config, { clock, progress: say, stopping });
  teardown.add(() => postgres.stop(), { outlivesProcess: true });
  stopping.throwIfAborted();

  const primary = await migrateDatabase(postgres, { clock, log, say });
  await distributeAtStart({ owner: primary, shards: config.shards, say });
  stopping.throwIfAborted();
  const { held, seen } = await checkDatabaseIdentity(
    await primaryOf(postgres.connection),
    folder.path,
  );
  if (held !== null) {
    await serveUntilRelease(options, postgres, folder, held);
    stopping.throwIfAborted();
  }

  say("Starting the server …");
  const { connection, owner } = postgres;
  const { rootKey } = folder;
  const build = await buildOf(options.mainFile);
  const about = { config, connection, owner, rootKey, seen, log, build };
  const { deps, guard, close } = await assemble(about);
  teardown.add(close);
  guard.onReplaced(options.onReplaced);
  const heart = startHeartbeat(deps, guard, { folder: folder.path, onHeld: options.onReplaced });
  teardown.add(() => heart.stop());
  const made = await firstRun(deps, folder);
  stopping.throwIfAborted();

  // Closed concurrently: each may need most of the stop's time.
  const edges: (() => Promise<void>)[] = [];
  teardown.add(async () => {
    await Promise.all(edges.map((close) => close()));
  });
  const metrics = createMetricsGatherer(clock, deps.metrics.registry, everyProcess);
  deps.metrics.watchProcess();
  // The worker registers before the API listens: /readyz would answer 503, and cache it.
  if (config.roles.includes("worker")) {
    const worker = await startWorker(deps);
    edges.push(() => worker.stop());
  }
  const hasApi = config.roles.includes("api");
  // Written before the API listens: who finds /readyz at 200 looks for the ready line at once.
  const link = hasApi ? await firstLink(deps, config.publicUrl ?? "") : null;
  stopping.throwIfAborted();
  const api = hasApi ? await startApi(options, { deps, metrics, connection, seen, folder }) : null;
  if (api) edges.push(() => api.close());
  if (config.metricsPort !== null) {
    const routes = watchedRoutes(deps, () => metrics.text());
    const watched = await serveMetrics(config.metricsHost, config.metricsPort, routes);
    edges.push(() => watched.close());
  }
  if (api) {
    teardown.add(await recordListening(folder.path, api.url));
    const whole = link?.startsWith("/") ? api.url + link : link;
    await welcome({ url: api.url, folder, made, link: whole, print });
  }
  if (!api) print("Longwave is ready. It works in the background only (LONGWAVE_ROLES).");
  return { reloadCarriers: () => describeReload(deps) };
}

/**
 * Serves a restored installation until its operator releases it: reads and the release are answered, no carrier is
 * bound, no due work is processed, and every other request gets 503.
 */
async function serveUntilRelease(
  { config, log, say, stopping }: RunOptions,
  { connection, owner }: RunningPostgres,
  { rootKey, operatorToken }: DataFolder,
  reason: string,
): Promise<void> {
  const { deps, close } = await assemble({
    config,
    connection,
    owner,
    rootKey,
    log,
    doesDueWork: false,
    withoutCarriers: true,
  });
  const { host, port } = config;
  const server = config.roles.includes("api")
    ? await serve(deps, { host, port, operatorToken, refuse: refuseWhileGuarded })
    : null;
  try {
    await waitForRelease(deps, { reason, url: server?.url ?? null, say, stopping });
  } finally {
    await server?.close();
    await close();
  }
}

async function describeReload(deps: Deps): Promise<string> {
  try {
    const { added, changed, removed, unchanged } = await deps.reloadCarriers();
    return `The carriers file was read again: ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged.length} left alone.`;
  } catch (error) {
    if (!(error instanceof CarriersFileError)) throw error;
    return `${error.message}\nNothing was changed.`;
  }
}

/** Serves in this process, or in several that share the port. */
async function startApi(
  options: RunOptions,
  parts: {
    deps: Deps;
    metrics: MetricsGatherer;
    connection: Connection;
    seen: LastSeen;
    folder: DataFolder;
  },
): Promise<RunningServer> {
  const { config, clock, log, mainFile } = options;
  const { host, port, processes } = config;
  const { deps, metrics, connection, seen, folder } = parts;
  const { operatorToken } = folder;
  if (processes === 1) {
    beginWarmUp(deps);
    return serve(deps, { host, port, operatorToken });
  }
  const start = { connection, seen, rootKey: folder.rootKey.toString("hex"), operatorToken };
  // This process does due work: it forwards items, and owns no accounts.
  const onOwnership: ApiProcessesOptions["onOwnership"] = ({ members, owners }) =>
    deps.peers.announce(members, null, owners);
  return startApiProcesses({ mainFile, processes, start, onOwnership, clock, log, metrics });
}
