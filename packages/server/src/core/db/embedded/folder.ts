import { createHash } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readlink,
  realpath,
  rmdir,
  symlink,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Account, accountFor, firstBarrier } from "./account.ts";
import { EmbeddedFailure, errorCode } from "./failure.ts";

/**
 * Files of one embedded database:
 *
 *     <data>/postgres.log               the server's log, limited in size
 *     <data>/postgres/                  the home: mode 0700, owned by the account PostgreSQL runs under
 *     <data>/postgres/binaries/<build>/ PostgreSQL's programs, copied out of node_modules
 *     <data>/postgres/cluster/          PostgreSQL's data directory
 *     <data>/postgres/run/              unix sockets of PostgreSQL and of the lock
 */
export interface Folder {
  /** Data folder as given by the operator, for messages. */
  readonly data: string;
  readonly home: string;
  readonly cluster: string;
  readonly sockets: string;
  readonly log: string;
  /** Undefined unless Longwave is root: PostgreSQL then runs as the same user. */
  readonly account: Account | undefined;
}

/** Parent of root's database if PostgreSQL's account may not enter the data folder. */
const SYSTEM_HOME = "/var/lib/longwave";

/** Linux allows 107 bytes for the path of a unix socket and macOS 103. */
const SOCKET_PATH_BYTES_MAX = 103;

/** The longest socket name in the sockets folder, see lock.ts. */
const SOCKET_NAME_LONGEST = "lock.4194304.XXXXXX.sock";

/** Finds the database of a data folder, without creating one. */
export async function findCluster(dataDir: string): Promise<{ data: string; cluster: string }> {
  const data = await realpath(resolve(dataDir)).catch(() => resolve(dataDir));
  const cluster = await realpath(join(data, "postgres/cluster")).catch(() => null);
  if (cluster !== null) return { data, cluster };
  throw new EmbeddedFailure(`${data} holds no database of Longwave: name another LONGWAVE_DATA.`);
}

export async function prepareFolder(
  dataDir: string,
  progress: (line: string) => void,
): Promise<Folder> {
  // Parent folders get the default mode, because PostgreSQL's account may have to pass them.
  await mkdir(dirname(resolve(dataDir)), { recursive: true, mode: 0o755 });
  await mkdir(resolve(dataDir), { recursive: true, mode: 0o700 });
  const data = await realpath(resolve(dataDir));
  const wanted = join(data, "postgres");
  const account = await accountFor(wanted, progress);
  const home = await makeHome(data, wanted, account, progress);
  return {
    data,
    home,
    cluster: join(home, "cluster"),
    sockets: await makeSocketsFolder(home, account),
    log: join(data, "postgres.log"),
    account,
  };
}

async function makeHome(
  data: string,
  wanted: string,
  account: Account | undefined,
  progress: (line: string) => void,
): Promise<string> {
  const present = await lstatOrUndefined(wanted);
  if (present?.isSymbolicLink()) return followHome(wanted);
  if (account === undefined) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    await chmod(wanted, 0o700);
    return wanted;
  }
  const barrier = await firstBarrier(data, account);
  if (barrier === data) {
    await letPass(data, account);
  } else if (barrier !== undefined && present === undefined) {
    return makeSystemHome(wanted, barrier, account, progress);
  } else if (barrier !== undefined) {
    throw new EmbeddedFailure(
      `PostgreSQL runs as the account ${account.name}, which may not enter ${barrier}: run 'chmod o+x ${barrier}', or set LONGWAVE_DATA to another folder.`,
    );
  }
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  await giveTo(wanted, account);
  return wanted;
}

/**
 * The account cannot enter the data folder, usually because it is in root's home, and modes of foreign folders must not
 * change. The database goes to /var/lib, and the data folder gets a link to it. Removing the data folder still means an
 * empty database on the next start.
 */
async function makeSystemHome(
  wanted: string,
  barrier: string,
  account: Account,
  progress: (line: string) => void,
): Promise<string> {
  await mkdir(SYSTEM_HOME, { recursive: true, mode: 0o755 });
  const home = await mkdtemp(join(SYSTEM_HOME, "postgres-"));
  await giveTo(home, account);
  if (!(await linkOnce(home, wanted))) {
    // Another start came first; the lock decides between them.
    await rmdir(home);
    return followHome(wanted);
  }
  progress(
    `the account ${account.name} may not enter ${barrier}, so the database is kept in ${home}`,
  );
  return home;
}

/**
 * Refuses a dangling link: an empty database instead of the lost one would look like lost messages.
 */
async function followHome(link: string): Promise<string> {
  try {
    return await realpath(link);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new EmbeddedFailure(
      `The database folder that ${link} points to is missing: put it back, or remove ${link} to start with an empty database.`,
      { cause: error },
    );
  }
}

/** Lets the account pass the folder without listing it; takes no permission away. */
async function letPass(folder: string, account: Account): Promise<void> {
  const { uid, mode } = await lstat(folder);
  if (mode & 0o070) {
    await chmod(folder, (mode & 0o7777) | 0o001);
  } else {
    await chown(folder, uid, account.gid);
    await chmod(folder, (mode & 0o7777) | 0o010);
  }
}

async function giveTo(path: string, account: Account | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
  await chmod(path, 0o700);
}

/**
 * Sockets are in the home. If that path is too long for a unix socket, they are in a short folder under the temporary
 * directory. `run` then links to it, so that a start with another TMPDIR finds the same sockets and lock.
 */
async function makeSocketsFolder(home: string, account: Account | undefined): Promise<string> {
  const run = join(home, "run");
  if (Buffer.byteLength(join(run, SOCKET_NAME_LONGEST)) <= SOCKET_PATH_BYTES_MAX) {
    await mkdir(run, { recursive: true, mode: 0o700 });
    await giveTo(run, account);
    return run;
  }
  const remembered = await readlinkOrUndefined(run);
  const short = remembered ?? join(await realpath(tmpdir()), `longwave-${shortHash(home)}`);
  await makePrivate(short, account);
  if (remembered === undefined) await linkOnce(short, run);
  return (await readlinkOrUndefined(run)) ?? short;
}

/** Refuses an existing folder of another user, because the name is predictable. */
async function makePrivate(path: string, account: Account | undefined): Promise<void> {
  const self = process.getuid?.() ?? 0;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  const found = await lstat(path);
  const owners = account === undefined ? [self] : [self, account.uid];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new EmbeddedFailure(
      `The folder ${path} is needed for PostgreSQL's socket but belongs to somebody else: remove it, or set LONGWAVE_DATA to a folder with a shorter path.`,
    );
  }
  await giveTo(path, account);
}

async function linkOnce(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

async function lstatOrUndefined(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function readlinkOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "EINVAL") return undefined;
    throw error;
  }
}
