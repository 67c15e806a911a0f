import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connected } from "../driver/client.ts";
import { APPLICATION, ensureRoles, OWNER, SUPERUSER } from "./access.ts";
import { findPackage, hydrateBinaries, removeOtherBuilds } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { diskFull, errorCode, explainFileError } from "./failure.ts";
import { type Folder, prepareFolder } from "./folder.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { boundLog, watchLog } from "./log-file.ts";
import {
  adoptPostmaster,
  endOrphans,
  type Launch,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
} from "./postmaster.ts";
import { PORT, serverArguments } from "./settings.ts";

/** Connection parameters for one of the roles. */
export interface EmbeddedConnection {
  /** The folder of the unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  /** Application role: reads and writes rows, owns nothing. */
  readonly connection: EmbeddedConnection;
  /** Owner role: migrations and partitions. */
  readonly owner: EmbeddedConnection;
  /** Superuser role: cluster administration. */
  readonly superuser: EmbeddedConnection;
  /** Stops PostgreSQL and releases the data folder. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Receives one line for each step that may take long. */
  readonly progress?: (line: string) => void;
  /** PostgreSQL settings that replace the launcher's, such as `{ max_connections: "400" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Folder for the programs, instead of the data folder, so that several data folders share them.
   */
  readonly binariesDir?: string;
}

const DATABASE = "longwave";
const CONNECT_MS_MAX = 10_000;
const restartDelaysSeconds: readonly number[] = [0, 1, 2, 5, 10];
/**
 * Delay after the listed ones, without end: there is no better option than waiting for the database.
 */
const RESTART_DELAY_SECONDS_MAX = 30;
/** A postmaster that ran this long is healthy: if it ends, it restarts at once. */
const STEADY_SECONDS = 60;
const SQLSTATE_DISK_FULL = "53100";

/**
 * Starts the PostgreSQL of a data folder, or adopts one that a killed Longwave left running, and keeps it running until
 * `stop`. Throws `DataFolderBusy` if another Longwave uses the folder.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const progress = options.progress ?? (() => undefined);
  const data = resolve(options.dataDir);
  const stopping = new AbortController();
  let lock: Lock | undefined;
  try {
    const source = await findPackage();
    const folder = await prepareFolder(data, progress);
    lock = await acquireLock(folder.data, folder.sockets);
    const binaries = await hydrateBinaries(
      source,
      options.binariesDir ?? join(folder.home, "binaries"),
    );
    const args = serverArguments(folder.cluster, folder.sockets, options.settings ?? {});
    const launch = { folder, binaries, args, progress, stopping: stopping.signal };
    await boundLog(folder.log);
    await ensureCluster(folder, binaries, progress);
    const postmaster = await bringUp(launch);
    // After start-up, because an adopted PostgreSQL may run from another build.
    if (options.binariesDir === undefined) {
      await removeOtherBuilds(source, join(folder.home, "binaries"));
    }
    return keepRunning(launch, postmaster, lock, () => stopping.abort());
  } catch (error) {
    await lock?.release();
    throw explainFileError(error, data);
  }
}

/** Connection, as the application, to the database of the Longwave that runs on the folder. */
export async function reachEmbedded(dataDir: string): Promise<EmbeddedConnection> {
  const { sockets } = await prepareFolder(resolve(dataDir), () => undefined);
  const connection = { host: sockets, port: PORT, user: APPLICATION, database: DATABASE };
  const config = { ...connection, connectionTimeoutMillis: CONNECT_MS_MAX };
  await connected(config, (client) => client.query("select name from schema_migrations limit 1"));
  return connection;
}

async function bringUp(launch: Launch): Promise<Postmaster> {
  const found = await adoptPostmaster(launch);
  if (found !== undefined) {
    try {
      await ensureDatabase(launch.folder);
      return found;
    } catch {
      launch.progress("the PostgreSQL that still runs does not answer; starting it again");
      await stopPostmaster(launch.folder, found);
    }
  }
  const started = await startPostmaster(launch);
  try {
    await ensureDatabase(launch.folder);
    return started;
  } catch (error) {
    await stopPostmaster(launch.folder, started);
    throw errorCode(error) === SQLSTATE_DISK_FULL ? diskFull(launch.folder.data, error) : error;
  }
}

async function ensureDatabase(folder: Folder): Promise<void> {
  const config = {
    host: folder.sockets,
    port: PORT,
    user: SUPERUSER,
    database: "postgres",
    connectionTimeoutMillis: CONNECT_MS_MAX,
  };
  await connected(config, (client) => ensureRoles(client, DATABASE));
}

/** Restarts PostgreSQL whenever it ends unexpectedly. */
function keepRunning(
  launch: Launch,
  first: Postmaster,
  lock: Lock,
  abort: () => void,
): EmbeddedPostgres {
  const { folder } = launch;
  const endLogWatch = watchLog(folder.log);
  const supervision = supervise(launch, first);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    abort();
    await stopPostmaster(folder, await supervision);
    await endOrphans(folder);
    endLogWatch();
    await lock.release();
  };
  const as = (user: string) => ({ host: folder.sockets, port: PORT, user, database: DATABASE });
  return {
    connection: as(APPLICATION),
    owner: as(OWNER),
    superuser: as(SUPERUSER),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Returns the latest postmaster once `stopping` is aborted. */
async function supervise(launch: Launch, first: Postmaster): Promise<Postmaster> {
  const { stopping, progress } = launch;
  const asked = new Promise<void>((done) => {
    stopping.addEventListener("abort", () => done(), { once: true });
  });
  let postmaster = first;
  let failures = 0;
  while (!stopping.aborted) {
    const over = Promise.race([postmaster.ended, asked]);
    const steady = sleep(STEADY_SECONDS * 1_000, true, { ref: false });
    if (await Promise.race([over.then(() => false), steady])) failures = 0;
    await over;
    const delay = restartDelaysSeconds[failures] ?? RESTART_DELAY_SECONDS_MAX;
    await Promise.race([sleep(delay * 1_000, undefined, { ref: false }), asked]);
    if (stopping.aborted) break;
    progress("PostgreSQL ended unexpectedly; starting it again");
    try {
      failures++;
      postmaster = await startPostmaster(launch);
    } catch (error) {
      const cause = explainFileError(error, launch.folder.data);
      progress(cause instanceof Error ? cause.message : String(cause));
    }
  }
  return postmaster;
}
