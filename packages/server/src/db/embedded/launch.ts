import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Binaries, hydrateBinaries } from "./binaries.ts";
import { ensureCluster, SUPERUSER } from "./cluster.ts";
import { explainFileError } from "./failure.ts";
import { type Folder, prepareFolder } from "./folder.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { boundLog, watchLog } from "./log-file.ts";
import { adoptPostmaster, type Postmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";
import { PORT, serverArguments } from "./settings.ts";

export interface EmbeddedPostgres {
  readonly connection: {
    /** The folder of the unix socket. */
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** Stops PostgreSQL and gives the data folder free. Safe to call more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Receives one line for each step that a person may have to wait for. */
  readonly progress?: (line: string) => void;
  /** PostgreSQL settings that replace the launcher's, such as `{ max_connections: "400" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Keeps the copied programs here instead of in the data folder, so that several folders share them. */
  readonly binariesDir?: string;
}

const DATABASE = "longwave";
const restartDelaysSeconds: readonly number[] = [0, 1, 2, 5, 10];
/** From then on; there is nothing better to do than to wait for the database to come back. */
const RESTART_DELAY_SECONDS_MAX = 30;

/**
 * Starts the PostgreSQL of a data folder, or takes over the one that a killed Longwave left running, and
 * keeps it running until `stop`. Throws `DataFolderBusy` when another Longwave has the folder.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const progress = options.progress ?? (() => undefined);
  const data = resolve(options.dataDir);
  let lock: Lock | undefined;
  try {
    const folder = await prepareFolder(data, progress);
    lock = await acquireLock(folder.data, folder.sockets);
    const server = await startServer(folder, options, progress);
    return await keepRunning(server, lock, progress);
  } catch (error) {
    await lock?.release();
    throw explainFileError(error, data);
  }
}

/** All that is needed to start PostgreSQL again, and the one that runs now. */
interface Server {
  readonly folder: Folder;
  readonly binaries: Binaries;
  readonly args: readonly string[];
  postmaster: Postmaster;
}

async function startServer(
  folder: Folder,
  options: EmbeddedOptions,
  progress: (line: string) => void,
): Promise<Server> {
  const binaries = await hydrateBinaries(options.binariesDir ?? join(folder.home, "binaries"));
  const args = serverArguments(folder.cluster, folder.sockets, options.settings ?? {});
  await boundLog(folder.log);
  await ensureCluster(folder, binaries, progress);
  const postmaster =
    (await adoptPostmaster(folder, binaries, args, progress)) ??
    (await startPostmaster(folder, binaries, args, progress));
  try {
    await ensureDatabase(folder);
  } catch (error) {
    await stopPostmaster(postmaster);
    throw error;
  }
  return { folder, binaries, args, postmaster };
}

async function ensureDatabase(folder: Folder): Promise<void> {
  const client = new pg.Client({
    host: folder.sockets,
    port: PORT,
    user: SUPERUSER,
    database: "postgres",
  });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Starts PostgreSQL again whenever it ends without having been asked to. */
async function keepRunning(
  server: Server,
  lock: Lock,
  progress: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const stopping = new AbortController();
  const endLogWatch = watchLog(server.folder.log);
  const supervision = supervise(server, stopping.signal, progress);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await supervision;
    await stopPostmaster(server.postmaster);
    endLogWatch();
    await lock.release();
  };
  return {
    connection: { host: server.folder.sockets, port: PORT, user: SUPERUSER, database: DATABASE },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function supervise(
  server: Server,
  stopping: AbortSignal,
  progress: (line: string) => void,
): Promise<void> {
  const asked = new Promise<void>((done) => {
    stopping.addEventListener("abort", () => done(), { once: true });
  });
  while (!stopping.aborted) {
    await Promise.race([server.postmaster.ended, asked]);
    for (let failures = 0; !stopping.aborted; failures++) {
      const delay = restartDelaysSeconds[failures] ?? RESTART_DELAY_SECONDS_MAX;
      await Promise.race([sleep(delay * 1_000, undefined, { ref: false }), asked]);
      if (stopping.aborted || (await restart(server, progress))) break;
    }
  }
}

async function restart(server: Server, progress: (line: string) => void): Promise<boolean> {
  progress("PostgreSQL ended unexpectedly; starting it again");
  try {
    const { folder, binaries, args } = server;
    server.postmaster = await startPostmaster(folder, binaries, args, progress);
    return true;
  } catch (error) {
    const cause = explainFileError(error, server.folder.data);
    progress(cause instanceof Error ? cause.message : String(cause));
    return false;
  }
}
