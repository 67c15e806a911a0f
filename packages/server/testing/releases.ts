import { execFile } from "node:child_process";
import { access, cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ARCHIVE_BYTES_MAX = 500_000_000;
const BUILD_MS_MAX = 300_000;

/**
 * Commit of the previous release: the newest tag, or HEAD before the first release. Missing without the
 * repository's history.
 */
export async function previousRelease(): Promise<{ commit: string } | { missing: string }> {
  const git = async (...args: string[]) => (await run("git", args, { cwd: ROOT })).stdout.trim();
  try {
    const tags = await git("tag", "--list", "v*", "--sort=-creatordate");
    const commit = tags.split("\n")[0] || "HEAD";
    await git("cat-file", "-e", `${commit}:scripts/build.mjs`);
    return { commit };
  } catch {
    return { missing: "the release before this one is not in the repository: fetch its history" };
  }
}

/** Builds the server of another commit in a folder and returns its main.js. */
export async function buildRelease(commit: string, folder: string): Promise<string> {
  const archive = join(folder, "release.tar");
  await run("git", ["archive", "--output", archive, commit], {
    cwd: ROOT,
    maxBuffer: ARCHIVE_BYTES_MAX,
  });
  const tree = join(folder, "tree");
  await mkdir(tree);
  await run("tar", ["-xf", archive, "-C", tree]);
  await linkModules(tree);
  await run(process.execPath, ["scripts/build.mjs", "server"], {
    cwd: tree,
    timeout: BUILD_MS_MAX,
  });
  return join(tree, "packages/server/dist/main.js");
}

/** Links the installed packages, except the repository's own, which come from the other commit. */
async function linkModules(tree: string): Promise<void> {
  const installed = join(ROOT, "node_modules");
  await mkdir(join(tree, "node_modules/@longwave"), { recursive: true });
  for (const name of await readdir(installed)) {
    if (name === "@longwave") continue;
    await symlink(join(installed, name), join(tree, "node_modules", name));
  }
  for (const name of await readdir(join(tree, "packages"))) {
    await symlink(join(tree, "packages", name), join(tree, "node_modules/@longwave", name));
  }
}

/** Migration of a later release: a column and an index for the tables that every message is written to. */
export const LATER_MIGRATION = `
alter table messages add column side_by_side integer;
alter table account_counters add column side_by_side integer not null default 0;
alter table events add column side_by_side text;
create table side_by_side (shard integer not null, id uuid not null, primary key (shard, id));
create index messages_side_by_side on messages (shard, side_by_side) where side_by_side is not null;`;

/** Copies this build, adds a migration and returns its main.js. */
export async function buildWithMigration(
  folder: string,
  name: string,
  text: string,
): Promise<string> {
  const dist = join(ROOT, "packages/server/dist");
  await access(join(dist, "main.js"));
  const copy = join(folder, "next");
  await cp(dist, copy, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(copy, "migrations", name), text);
  return join(copy, "main.js");
}
