import { execFile } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import {
  access,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { connected } from "../driver/client.ts";
import { SUPERUSER } from "./access.ts";
import { EmbeddedFailure } from "./failure.ts";
import { findCluster, prepareFolder } from "./folder.ts";
import { readPidFile } from "./postmaster.ts";
import { isPostmasterOf } from "./processes.ts";
import { PORT } from "./settings.ts";

const run = promisify(execFile);

/** Excluded: programs can be copied again; sockets and logs are useless elsewhere. */
const LEFT_OUT = [
  "postgres/binaries",
  "postgres/run",
  "postgres.log",
  "database-seen.json",
  "listening.json",
  "postgres/cluster/postmaster.pid",
  "postgres/cluster/postmaster.opts",
];
/** Excluded while the cluster runs: transient files, and pg_wal, which is packed at the end. */
const LEFT_OUT_RUNNING = ["pg_wal", "pg_replslot", "pg_stat_tmp", "pg_subtrans", "pg_notify"].map(
  (name) => `postgres/cluster/${name}/*`,
);
const WAL_SEGMENT = /^[0-9A-F]{24}$/;
/**
 * Exit status of GNU tar for files that changed while it read them. WAL replay repairs their pages.
 */
const TAR_FILES_CHANGED = 1;

/**
 * Packs a data folder, including database and secrets, into one file with mode 600; returns its size. A running
 * database stays in use: the WAL is packed last. `mark` is a file added to the backup only.
 */
export async function backUp(options: {
  readonly dataDir: string;
  readonly file: string;
  readonly mark: { readonly name: string; readonly text: string };
}): Promise<number> {
  const { data, cluster } = await findCluster(options.dataDir);
  const target = resolve(options.file);
  if (await exists(target)) {
    throw new EmbeddedFailure(`${options.file} is there already: name another file.`);
  }
  if (`${target}/`.startsWith(`${data}/`)) {
    throw new EmbeddedFailure(`${options.file} is in the folder that is packed: name one outside.`);
  }
  const unfinished = await mkdtemp(`${target}.new-`);
  const packing: Packing = { data, cluster, tar: join(unfinished, "tar"), stage: unfinished };
  try {
    await lay(packing, options.mark.name, options.mark.text);
    const pid = (await readPidFile({ cluster }))?.pid;
    const isRunning = pid !== undefined && (await isPostmasterOf(pid, cluster));
    if (isRunning) await packRunning(packing);
    else await packFolder(packing, []);
    await tar(["-rf", packing.tar, "-C", packing.stage, `./${options.mark.name}`]);
    const packed = join(unfinished, "packed");
    await pipeline(
      createReadStream(packing.tar),
      createGzip({ level: 6 }),
      createWriteStream(packed, { mode: 0o600, flush: true } as { mode: number }),
    );
    await rename(packed, target);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return (await stat(target)).size;
}

/** Restores a backup to a data folder, which must not exist yet. */
export async function restoreBackup(file: string, dataDir: string): Promise<void> {
  const data = resolve(dataDir);
  if (!(await exists(file))) throw new EmbeddedFailure(`There is no file ${file}.`);
  if ((await readdir(data).catch(() => [])).length > 0) {
    throw new EmbeddedFailure(
      `${data} is there already: move it away, or name another LONGWAVE_DATA.`,
    );
  }
  await mkdir(dirname(data), { recursive: true });
  const unfinished = await mkdtemp(`${data}.new-`);
  try {
    await chmod(unfinished, 0o755);
    await tar(["-xzpf", resolve(file), "--numeric-owner", "-C", unfinished]);
    if (!(await exists(join(unfinished, "postgres/cluster/PG_VERSION")))) {
      throw new EmbeddedFailure(`${file} is no backup of Longwave: it holds no database.`);
    }
    await rm(data, { recursive: true, force: true });
    await rename(unfinished, data);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

interface Packing {
  readonly data: string;
  readonly cluster: string;
  readonly tar: string;
  /** Temporary folder for packed files that are not in the data folder. */
  readonly stage: string;
}

/** Between pg_backup_start and pg_backup_stop the WAL contains full page images. */
async function packRunning(packing: Packing): Promise<void> {
  const { sockets } = await prepareFolder(packing.data, () => {});
  const config = { host: sockets, port: PORT, user: SUPERUSER, database: "postgres" };
  await connected(config, async (client) => {
    // Keeps the WAL from now on; the slot is temporary and ends with the connection.
    await client.query(
      `select pg_create_physical_replication_slot('longwave_backup_${process.pid}', true, true)`,
    );
    const started = await client.query<{ segment: string }>(
      "select pg_walfile_name(pg_backup_start('longwave', true)) as segment",
    );
    await packFolder(packing, LEFT_OUT_RUNNING);
    const { rows } = await client.query<{ labelfile: string }>(
      "select labelfile from pg_backup_stop(false)",
    );
    const label = "postgres/cluster/backup_label";
    await lay(packing, label, rows[0]?.labelfile ?? "");
    await tar(["-rf", packing.tar, "--numeric-owner", "-C", packing.stage, `./${label}`]);
    await packLog(packing, started.rows[0]?.segment ?? "");
  });
}

async function packFolder({ tar: file, data }: Packing, more: readonly string[]): Promise<void> {
  const excluded = [...LEFT_OUT, ...more].map((path) => `--exclude=./${path}`);
  // The database folder may be a symbolic link; the backup contains its files.
  await tar(["-chf", file, "--numeric-owner", ...excluded, "-C", data, "."]);
}

async function packLog({ tar: file, data, cluster }: Packing, from: string): Promise<void> {
  const names = (await readdir(join(cluster, "pg_wal"))).filter(
    (name) => WAL_SEGMENT.test(name) && name >= from,
  );
  const paths = names.sort().map((name) => `./postgres/cluster/pg_wal/${name}`);
  await tar(["-rhf", file, "--numeric-owner", "-C", data, ...paths]);
}

/** Writes a file to the stage, readable by the owner of the cluster. */
async function lay({ stage, cluster }: Packing, path: string, text: string): Promise<void> {
  const file = join(stage, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
  const { uid, gid } = await stat(cluster);
  if (path.startsWith("postgres/") && process.getuid?.() === 0) await chown(file, uid, gid);
}

async function tar(args: readonly string[]): Promise<void> {
  try {
    await run("tar", args);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === "ENOENT") {
      throw new EmbeddedFailure("The program tar is needed and cannot be run.", { cause: error });
    }
    if (code === TAR_FILES_CHANGED && args[0] !== "-xzpf") return;
    throw new EmbeddedFailure(`tar failed: ${stderr?.trim() ?? String(error)}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
