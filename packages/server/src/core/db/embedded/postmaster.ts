import { spawn } from "node:child_process";
import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { explainSpawnError, PROGRAM_ENVIRONMENT } from "./cluster.ts";
import { diskFull, EmbeddedFailure, errorCode } from "./failure.ts";
import type { Folder } from "./folder.ts";
import { logSize, readLog } from "./log-file.ts";
import { isAlive, isPostmasterOf, orphansOf, signal } from "./processes.ts";
import { PORT } from "./settings.ts";

/** A running PostgreSQL: our child process, or one left by a killed Longwave. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Signals this process; a reused process id is left alone. */
  signal(name: NodeJS.Signals): Promise<void>;
}

/** Parameters of every start of PostgreSQL. */
export interface Launch {
  readonly folder: Folder;
  readonly binaries: Binaries;
  readonly args: readonly string[];
  readonly progress: (line: string) => void;
  /** Aborted when Longwave stops. */
  readonly stopping: AbortSignal;
}

const POLL_MS = 10;
const SLOW_POLL_MS = 200;
/** Ten minutes: recovery replays about max_wal_size at most, enough for the slowest disk. */
const READY_POLLS_MAX = 60_000;
const PROGRESS_EVERY_POLLS = 500;
const STOP_FAST_MS_MAX = 20_000;
const STOP_HARD_MS_MAX = 5_000;
const SURVIVOR_TRIES_MAX = 50;
/**
 * Server processes notice a lost postmaster when they become idle. From this attempt on they are killed.
 */
const SURVIVOR_TRIES_BEFORE_KILL = 10;

/** Relevant parts of postmaster.pid. */
interface PidFile {
  readonly pid: number;
  readonly status: string;
}

export async function readPidFile(folder: Pick<Folder, "cluster">): Promise<PidFile | undefined> {
  try {
    const lines = (await readFile(join(folder.cluster, "postmaster.pid"), "utf8")).split("\n");
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, status: (lines[7] ?? "").trim() };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Adopts the postmaster of a killed Longwave. Stops it instead if its arguments differ (older Longwave, other settings)
 * or if it never becomes ready.
 */
export async function adoptPostmaster(launch: Launch): Promise<Postmaster | undefined> {
  const { folder, progress } = launch;
  const file = await readPidFile(folder);
  if (file === undefined || !(await isPostmasterOf(file.pid, folder.cluster))) return undefined;
  const postmaster = foundPostmaster(file.pid, folder.cluster);
  if (file.status !== "stopping" && (await startedAlike(launch))) {
    progress(`taking over the PostgreSQL that still runs (process ${file.pid})`);
    if (await waitUntilReady(launch, postmaster)) return postmaster;
  }
  await stopPostmaster(folder, postmaster);
  return undefined;
}

/**
 * Makes PostgreSQL start despite a reused process id. PostgreSQL refuses to start while the process of its lock files
 * exists, even if that is another program or a zombie by now. It ignores its own parent, so postmaster.pid gets the id
 * of this process. Removing that file would also skip the check for surviving processes in shared memory. The socket's
 * lock file has no such check and is removed.
 */
async function forgetDeadPostmaster(folder: Folder): Promise<void> {
  const file = await readPidFile(folder);
  if (file !== undefined && (await isPostmasterOf(file.pid, folder.cluster))) return;
  await rm(join(folder.sockets, `.s.PGSQL.${PORT}.lock`), { force: true });
  if (file === undefined || !isAlive(file.pid)) return;
  const path = join(folder.cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [process.pid, ...rest].join("\n"));
}

async function startedAlike({ folder, binaries, args }: Launch): Promise<boolean> {
  const options = await readFile(join(folder.cluster, "postmaster.opts"), "utf8").catch(() => "");
  return options.trim() === [binaries.postgres, ...args.map((arg) => `"${arg}"`)].join(" ");
}

function foundPostmaster(pid: number, cluster: string): Postmaster {
  return {
    pid,
    ended: watchForEnd(pid, cluster),
    signal: async (name) => {
      if (await isPostmasterOf(pid, cluster)) signal(pid, name);
    },
  };
}

/** Polls, because the process is not our child. */
async function watchForEnd(pid: number, cluster: string): Promise<void> {
  // Containers without an init process keep zombies. Only Linux tells them apart cheaply.
  const isThere = async () =>
    process.platform === "linux" ? isPostmasterOf(pid, cluster) : isAlive(pid);
  while (await isThere()) await sleep(SLOW_POLL_MS, undefined, { ref: false });
}

export async function startPostmaster(launch: Launch): Promise<Postmaster> {
  const { folder, stopping } = launch;
  for (let attempt = 1; attempt <= SURVIVOR_TRIES_MAX && !stopping.aborted; attempt++) {
    await forgetDeadPostmaster(folder);
    const logged = await logSize(folder.log);
    const postmaster = await spawnPostmaster(launch);
    if (await waitUntilReady(launch, postmaster)) return postmaster;
    await stopPostmaster(folder, postmaster);
    const log = await readLog(folder.log, logged);
    if (!log.includes("pre-existing shared memory block")) throw explainLog(folder, log);
    if (attempt >= SURVIVOR_TRIES_BEFORE_KILL) {
      await endOrphans(folder);
    }
    await sleep(SLOW_POLL_MS);
  }
  throw new EmbeddedFailure(
    `Processes of an earlier PostgreSQL still use ${folder.cluster}: end them, then start Longwave again.`,
  );
}

async function spawnPostmaster({ folder, binaries, args }: Launch): Promise<Postmaster> {
  const log = await open(folder.log, "a", 0o600);
  try {
    // A start without root may follow one with root, in the same folder.
    if (folder.account !== undefined) await log.chown(folder.account.uid, folder.account.gid);
    const child = spawn(binaries.postgres, args, {
      cwd: folder.home,
      env: PROGRAM_ENVIRONMENT,
      stdio: ["ignore", log.fd, log.fd],
      // Separate process group: Ctrl-C in a terminal reaches Longwave only, which needs its database to stop.
      detached: true,
      ...(folder.account && { uid: folder.account.uid, gid: folder.account.gid }),
    });
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    const pid = await new Promise<number>((done, fail) => {
      child.once("error", (error) => fail(explainSpawnError(error)));
      child.once("spawn", () => done(child.pid ?? 0));
    });
    child.unref();
    return {
      pid,
      ended,
      signal: async (name) => {
        child.kill(name);
      },
    };
  } finally {
    await log.close();
  }
}

/** True once it accepts connections; false if it ended, never became ready, or Longwave stops. */
async function waitUntilReady(launch: Launch, postmaster: Postmaster): Promise<boolean> {
  const ended = postmaster.ended.then(() => true);
  for (let poll = 1; poll <= READY_POLLS_MAX && !launch.stopping.aborted; poll++) {
    const file = await readPidFile(launch.folder);
    if (file?.pid === postmaster.pid && file.status === "ready") return true;
    if (poll % PROGRESS_EVERY_POLLS === 0) launch.progress("PostgreSQL is recovering its data");
    if (await Promise.race([ended, sleep(POLL_MS, false)])) return false;
  }
  return false;
}

/** Fast shutdown (SIGINT): ends sessions, writes everything. Escalates if it takes too long. */
export async function stopPostmaster(folder: Folder, postmaster: Postmaster): Promise<void> {
  await postmaster.signal("SIGINT");
  if (await endsWithin(postmaster, STOP_FAST_MS_MAX)) return;
  await postmaster.signal("SIGQUIT");
  if (await endsWithin(postmaster, STOP_HARD_MS_MAX)) return;
  await postmaster.signal("SIGKILL");
  await endsWithin(postmaster, STOP_HARD_MS_MAX);
  await endOrphans(folder);
}

/**
 * Kills surviving server processes. Nothing is lost: the next start recovers without their shared memory.
 */
export async function endOrphans(folder: Folder): Promise<void> {
  for (const orphan of await orphansOf(folder.cluster)) signal(orphan, "SIGKILL");
}

async function endsWithin(postmaster: Postmaster, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([postmaster.ended.then(() => true), late]);
  timer.abort();
  return inTime;
}

function explainLog(folder: Folder, log: string): Error {
  if (log.includes("No space left on device")) return diskFull(folder.data);
  const complaint = log
    .split("\n")
    .filter((line) => /FATAL|PANIC|error while loading/.test(line))
    .at(-1);
  const reason = complaint?.replace(/^.*?(FATAL|PANIC):\s*/, "") ?? "it stopped without saying why";
  return new EmbeddedFailure(`PostgreSQL did not start: ${reason} (see ${folder.log}).`);
}
