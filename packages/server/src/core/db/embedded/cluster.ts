import { spawn } from "node:child_process";
import { chown, mkdtemp, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { SUPERUSER, writeAccess } from "./access.ts";
import type { Binaries } from "./binaries.ts";
import { diskFull, EmbeddedFailure, errorCode } from "./failure.ts";
import type { Folder } from "./folder.ts";

const UNFINISHED_PREFIX = "cluster.new-";
const INIT_MS_MAX = 120_000;
const OUTPUT_CHARS_MAX = 16 * 1024;

/**
 * Environment of PostgreSQL's programs. Excludes ours, because PG* and LC_* variables would change their behaviour.
 */
export const PROGRAM_ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Creates the cluster on the first start. initdb runs in a temporary folder, which is renamed when complete; the next
 * start removes an incomplete one.
 */
export async function ensureCluster(
  folder: Folder,
  binaries: Binaries,
  progress: (line: string) => void,
): Promise<void> {
  await removeUnfinished(folder.home);
  const found = await clusterVersion(folder.cluster);
  if (found !== undefined) {
    if (found === binaries.major) {
      await writeAccess(folder);
      return;
    }
    throw new EmbeddedFailure(
      `The data folder ${folder.data} was made by PostgreSQL ${found} and this Longwave brings PostgreSQL ${binaries.major}: export the data with the Longwave that made it and import it into a new folder.`,
    );
  }
  progress(`creating a new database in ${folder.data}`);
  const unfinished = await mkdtemp(join(folder.home, UNFINISHED_PREFIX));
  if (folder.account !== undefined) {
    await chown(unfinished, folder.account.uid, folder.account.gid);
  }
  try {
    await runInitdb(folder, binaries, unfinished);
    await rename(unfinished, folder.cluster);
    await syncDirectory(folder.home);
    await writeAccess(folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(UNFINISHED_PREFIX)) {
      // An initdb whose Longwave was killed may still be writing there.
      await rm(join(home, name), { recursive: true, force: true, maxRetries: 20 });
    }
  }
}

async function clusterVersion(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function runInitdb(folder: Folder, binaries: Binaries, target: string): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      "-D",
      target,
      "-U",
      SUPERUSER,
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      // Until writeAccess replaces pg_hba.conf. TCP stays closed at all times.
      "--auth-local=peer",
      "--auth-host=reject",
      "--no-instructions",
    ],
    {
      cwd: folder.home,
      env: PROGRAM_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: INIT_MS_MAX,
      killSignal: "SIGKILL",
      ...(folder.account && { uid: folder.account.uid, gid: folder.account.gid }),
    },
  );
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return new Promise((done, fail) => {
    child.on("error", (error) => fail(explainSpawnError(error)));
    child.on("close", (code) => {
      if (code === 0) done();
      else fail(explainInitdb(folder, output));
    });
  });
}

/** The program exists, so ENOENT means that its ELF loader is missing: the build needs glibc. */
export function explainSpawnError(error: unknown): unknown {
  if (errorCode(error) !== "ENOENT") return error;
  return new EmbeddedFailure(
    "The bundled PostgreSQL does not run on this system (it needs glibc; Alpine has musl): set DATABASE_URL to use any PostgreSQL 15 or newer.",
    { cause: error },
  );
}

function explainInitdb(folder: Folder, output: string): Error {
  if (output.includes("No space left on device")) return diskFull(folder.data);
  const complaint = output
    .split("\n")
    .filter((line) => /error|fatal|could not/i.test(line))
    .at(-1);
  return new EmbeddedFailure(
    `PostgreSQL could not create its database in ${folder.data}: ${complaint?.trim() ?? "initdb stopped without saying why"}. DATABASE_URL can name another PostgreSQL instead.`,
  );
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
