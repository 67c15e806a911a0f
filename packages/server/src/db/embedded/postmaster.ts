import { spawn } from "node:child_process";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { explainSpawnError, PROGRAM_ENVIRONMENT } from "./cluster.ts";
import { diskFull, EmbeddedFailure, errorCode } from "./failure.ts";
import type { Folder } from "./folder.ts";
import { logSize, readLog } from "./log-file.ts";
import { isAlive, isPostmasterOf, orphansOf, signal } from "./processes.ts";

/** A running PostgreSQL: our child, or one that a killed Longwave left behind. */
export interface Postmaster {
  readonly pid: number;
  /** Settles when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

const POLL_MS = 10;
const SLOW_POLL_MS = 200;
/** Recovery replays at most max_wal_size or so; ten minutes suit the slowest disk. */
const READY_POLLS_MAX = 60_000;
const PROGRESS_EVERY_POLLS = 500;
const STOP_FAST_MS_MAX = 20_000;
const STOP_IMMEDIATE_MS_MAX = 5_000;
const SHARED_MEMORY_TRIES_MAX = 50;
/** From this try on, orphans that did not notice the loss of their postmaster are ended. */
const SHARED_MEMORY_PATIENT_TRIES = 15;

/** What PostgreSQL writes into postmaster.pid, as far as it concerns us. */
interface PidFile {
  readonly pid: number;
  readonly status: string;
}

async function readPidFile(folder: Folder): Promise<PidFile | undefined> {
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
 * Takes over the postmaster of a Longwave that was killed. One that was started with other arguments (an
 * older Longwave, other settings) is stopped instead, and so is one that is on its way out anyway.
 */
export async function adoptPostmaster(
  folder: Folder,
  binaries: Binaries,
  args: readonly string[],
  progress: (line: string) => void,
): Promise<Postmaster | undefined> {
  const file = await readPidFile(folder);
  if (file === undefined) return undefined;
  if (!(await isPostmasterOf(file.pid, folder.cluster))) {
    await disownPid(folder, file.pid);
    return undefined;
  }
  const postmaster = { pid: file.pid, ended: watchForEnd(file.pid, folder.cluster) };
  if (file.status !== "stopping" && (await startedWith(folder, binaries, args))) {
    progress(`found PostgreSQL still running (process ${file.pid})`);
    if (await waitUntilReady(folder, postmaster, progress)) return postmaster;
  }
  await stopPostmaster(postmaster);
  return undefined;
}

/**
 * Another program has the process id that the file names. PostgreSQL would take it for a postmaster and
 * refuse to start; it ignores its own parent, though, so the file is made to name this process. Removing
 * the file instead would also remove PostgreSQL's check for survivors in the shared memory.
 */
async function disownPid(folder: Folder, pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  const path = join(folder.cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [process.pid, ...rest].join("\n"));
}

async function startedWith(
  folder: Folder,
  binaries: Binaries,
  args: readonly string[],
): Promise<boolean> {
  const options = await readFile(join(folder.cluster, "postmaster.opts"), "utf8").catch(() => "");
  return options.trim() === [binaries.postgres, ...args.map((arg) => `"${arg}"`)].join(" ");
}

/** The end of a process that is not our child can only be looked for. */
async function watchForEnd(pid: number, cluster: string): Promise<void> {
  while (await isPostmasterOf(pid, cluster)) await sleep(SLOW_POLL_MS, undefined, { ref: false });
}

export async function startPostmaster(
  folder: Folder,
  binaries: Binaries,
  args: readonly string[],
  progress: (line: string) => void,
): Promise<Postmaster> {
  for (let attempt = 1; attempt <= SHARED_MEMORY_TRIES_MAX; attempt++) {
    const logged = await logSize(folder.log);
    const postmaster = await spawnPostmaster(folder, binaries, args);
    if (await waitUntilReady(folder, postmaster, progress)) return postmaster;
    await stopPostmaster(postmaster);
    const log = await readLog(folder.log, logged);
    if (!log.includes("pre-existing shared memory block")) throw explainLog(folder, log);
    // The postmaster was killed and its children have not noticed yet.
    if (attempt >= SHARED_MEMORY_PATIENT_TRIES) {
      for (const orphan of await orphansOf(folder.cluster)) signal(orphan, "SIGKILL");
    }
    await sleep(SLOW_POLL_MS);
  }
  throw new EmbeddedFailure(
    `Processes of an earlier PostgreSQL still use ${folder.cluster}: end them, then start Longwave again.`,
  );
}

async function spawnPostmaster(
  folder: Folder,
  binaries: Binaries,
  args: readonly string[],
): Promise<Postmaster> {
  const log = await open(folder.log, "a", 0o600);
  try {
    const child = spawn(binaries.postgres, args, {
      cwd: folder.home,
      env: PROGRAM_ENVIRONMENT,
      stdio: ["ignore", log.fd, log.fd],
      // Its own process group: Ctrl-C in a terminal reaches Longwave, which still needs its database.
      detached: true,
      ...(folder.account && { uid: folder.account.uid, gid: folder.account.gid }),
    });
    const ended = new Promise<void>((done) => {
      child.once("exit", () => done());
      child.once("error", () => done());
    });
    const pid = await new Promise<number>((done, fail) => {
      child.once("error", (error) => fail(explainSpawnError(error)));
      child.once("spawn", () => done(child.pid ?? 0));
    });
    child.unref();
    return { pid, ended };
  } finally {
    await log.close();
  }
}

/** True when it accepts connections, false when it ended or never came to it. */
async function waitUntilReady(
  folder: Folder,
  postmaster: Postmaster,
  progress: (line: string) => void,
): Promise<boolean> {
  const ended = postmaster.ended.then(() => true);
  for (let poll = 1; poll <= READY_POLLS_MAX; poll++) {
    const file = await readPidFile(folder);
    if (file?.pid === postmaster.pid && file.status === "ready") return true;
    if (poll % PROGRESS_EVERY_POLLS === 0) progress("PostgreSQL is recovering its data");
    if (await Promise.race([ended, sleep(POLL_MS, false)])) return false;
  }
  return false;
}

/** Fast stop: sessions are ended, everything is written. What does not obey is ended harder. */
export async function stopPostmaster(postmaster: Postmaster): Promise<void> {
  signal(postmaster.pid, "SIGINT");
  if (await endsWithin(postmaster, STOP_FAST_MS_MAX)) return;
  signal(postmaster.pid, "SIGQUIT");
  if (await endsWithin(postmaster, STOP_IMMEDIATE_MS_MAX)) return;
  signal(postmaster.pid, "SIGKILL");
  await endsWithin(postmaster, STOP_IMMEDIATE_MS_MAX);
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
