import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rm,
  stat,
  truncate,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import {
  type BinariesPackage,
  findPackage,
  hydrateBinaries,
  removeOtherBuilds,
} from "./binaries.ts";
import { EmbeddedFailure } from "./failure.ts";

const run = promisify(execFile);
let root = "";
let source: BinariesPackage;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "lw-"));
  source = await findPackage();
});
after(() => rm(root, { recursive: true, force: true }));

test("programs run without an install script", async () => {
  const { postgres, major } = await hydrateBinaries(source, join(root, "plain"));
  const { stdout } = await run(postgres, ["--version"]);
  assert.match(stdout, new RegExp(`PostgreSQL\\) ${major}\\.`));
});

test("creates links, and copies unreadable files with a readable mode", async () => {
  // A package as npm 12 unpacks it: without links, under a strict umask.
  const strict = join(root, "strict");
  await cp(source.root, strict, { recursive: true, filter: async (path) => !(await isLink(path)) });
  const library = (await readdir(join(strict, "native/lib"))).find((name) =>
    /\.so\.\d+\.\d+$|\.dylib$/.test(name),
  );
  assert.ok(library);
  await chmod(join(strict, "native/lib", library), 0o600);
  const { postgres } = await hydrateBinaries({ ...source, root: strict }, join(root, "copied"));
  await run(postgres, ["--version"]);
  const dir = join(root, "copied", source.build);
  assert.equal((await stat(join(dir, "lib", library))).mode & 0o777, 0o644);
  assert.equal((await stat(join(strict, "native/lib", library))).mode & 0o777, 0o600);
  const names = await readdir(join(dir, "lib"));
  const links = [];
  for (const name of names) if (await isLink(join(dir, "lib", name))) links.push(name);
  assert.ok(links.length > 0);
  for (const name of links) {
    assert.ok(names.includes(await readlink(join(dir, "lib", name))), name);
  }
});

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path)).isSymbolicLink();
}

test("replaces a copy left empty by a power cut", async () => {
  const copied = join(root, "copied", source.build, "bin/postgres");
  // A copy rather than a hard link to node_modules, because the test damages it.
  const whole = await stat(copied);
  await rm(copied);
  await cp(join(source.root, "native/bin/postgres"), copied);
  await truncate(copied, 0);
  await hydrateBinaries(source, join(root, "copied"));
  assert.equal((await stat(copied)).size, whole.size);
});

test("concurrent copies end with one complete build, and old builds can be removed", async () => {
  const parent = join(root, "shared");
  await Promise.all(Array.from({ length: 4 }, () => hydrateBinaries(source, parent)));
  assert.deepEqual(await readdir(parent), [source.build]);
  await mkdir(join(parent, "17.1.0-old/bin"), { recursive: true });
  await removeOtherBuilds(source, parent);
  assert.deepEqual(await readdir(parent), [source.build]);
});

test("suggests DATABASE_URL on a platform without a build", async () => {
  await assert.rejects(findPackage("win32-x64"), (error) => {
    assert.ok(error instanceof EmbeddedFailure);
    assert.equal(
      error.message,
      "There is no bundled PostgreSQL for win32-x64: set DATABASE_URL to use any PostgreSQL 15 or newer.",
    );
    return true;
  });
});
