import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPTS = fileURLToPath(new URL(".", import.meta.url));
const NPM = `#!/bin/sh
mkdir -p node_modules
case "$1" in ci) echo '{"packages":{"node_modules/kept":{}}}' > node_modules/.package-lock.json ;; esac
echo "$*" >> asked.txt
exit "$NPM_STATUS"
`;

/** A build that records its run, and the packages installed at that time. */
const BUILD = `import { appendFileSync, readdirSync } from "node:fs";
const packages = readdirSync("node_modules").filter((name) => name.startsWith(".longwave-lock"));
appendFileSync("asked.txt", ["built", ...process.argv.slice(2), "with", ...packages].join(" "));
`;

function lockFile(version: string): string {
  const names = ["node_modules/kept", "node_modules/late", "packages/console/node_modules/late"];
  const packages = Object.fromEntries(names.map((name) => [name, {}]));
  return JSON.stringify({ version, packages: { "": {}, ...packages } });
}

/** A copy of the repository, and an npm that records its arguments. */
async function aClone() {
  const folder = await mkdtemp(join(tmpdir(), "longwave-install-"));
  await mkdir(join(folder, "scripts"));
  for (const name of [
    "install.mjs",
    "steps.mjs",
    "build-serving.mjs",
    "prepare-serving.mjs",
    "build-state.mjs",
    "late-console.mjs",
  ]) {
    await copyFile(join(SCRIPTS, name), join(folder, "scripts", name));
  }
  await writeFile(join(folder, "scripts/build.mjs"), BUILD);
  await writeFile(join(folder, "package-lock.json"), lockFile("first"));
  await writeFile(join(folder, "npm"), NPM);
  await chmod(join(folder, "npm"), 0o755);
  const asked = async () => {
    const text = await readFile(join(folder, "asked.txt"), "utf8").catch(() => "");
    await rm(join(folder, "asked.txt"), { force: true });
    return text;
  };
  const run = async (code: string, npmStatus = 0) => {
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env["PATH"]}`,
      NPM_STATUS: `${npmStatus}`,
    };
    const done = spawnSync(process.execPath, ["-e", code], { cwd: folder, env, encoding: "utf8" });
    assert.equal(done.status, npmStatus, done.stderr);
    return asked();
  };
  const calling = (what: string) =>
    `import("./scripts/install.mjs").then((install) => install.${what}())`;
  const change = () => writeFile(join(folder, "package-lock.json"), lockFile("second"));
  return {
    start: (npmStatus?: number) => run(calling("ensureInstalledForServing"), npmStatus),
    work: (npmStatus?: number) => run(calling("ensureInstalled"), npmStatus),
    buildServing: () => run('import("./scripts/build-serving.mjs")'),
    /** The first part of npm start; answers whether the console is left out. */
    prepareStart: () =>
      run(
        'import("./scripts/prepare-serving.mjs").then(async (m) => { const isLeftOut = await m.prepareServing({ isConsoleLate: true }); require("node:fs").appendFileSync("asked.txt", "; left out: " + isLeftOut); })',
      ),
    addConsole: (npmStatus?: number) =>
      run(
        'import("./scripts/install.mjs").then(async (m) => { process.exitCode = await m.addConsolePackages(); })',
        npmStatus,
      ),
    folder,
    /** Marks every target as built from the present sources. */
    markBuilt: () =>
      run(
        'import("./scripts/build-state.mjs").then((m) => { for (const [name, { out }] of Object.entries(m.TARGETS)) { require("node:fs").mkdirSync(out, { recursive: true }); m.writeStamp(out, m.sourcesStamp(name)); } })',
      ),
    change,
    remove: () => rm(folder, { recursive: true }),
  };
}

test("a start installs packages for serving, a test run installs all, and neither removes the other's", async (t) => {
  const clone = await aClone();
  t.after(clone.remove);
  assert.match(await clone.start(1), /--omit=dev/, "an install that fails");
  assert.match(await clone.start(), /--omit=dev/, "is done again");
  assert.equal(await clone.start(), "", "and once it is done, npm is not asked");
  assert.match(
    await clone.work(1),
    /^install .*--no-save --include=dev$/m,
    "the missing are added",
  );
  const all = await clone.work();
  assert.match(all, /^ci /, "after an interrupted install, all are installed anew");
  assert.doesNotMatch(all, /omit/);
  assert.equal((await clone.work()) + (await clone.start()), "", "all of it is enough to serve");
  await clone.change();
  assert.doesNotMatch(await clone.start(1), /omit/, "whoever had all of it gets all of the new");
  assert.match(await clone.work(), /^ci /);
  await clone.change();
  assert.equal((await clone.start()) + (await clone.work()), "");
});

test("a test run after a first start keeps its packages, and removes those of an interrupted addition", async (t) => {
  const clone = await aClone();
  t.after(clone.remove);
  await clone.prepareStart();
  const modules = join(clone.folder, "node_modules");
  for (const name of ["kept", "late"]) await mkdir(join(modules, name));
  assert.match(await clone.work(), /^install .*--no-save --include=dev\n$/);
  assert.deepEqual(
    [existsSync(join(modules, "kept")), existsSync(join(modules, "late"))],
    [true, false],
  );
});

test("the build for images and units installs packages for serving only, and builds", async (t) => {
  const clone = await aClone();
  t.after(clone.remove);
  const [asked, built, ...more] = (await clone.buildServing()).split("\n");
  assert.match(asked ?? "", /^ci .*--omit=dev$/);
  assert.deepEqual(
    [built, more],
    ["built server console cli docs with .longwave-lock-serving.json", []],
  );
});

test("a copy whose builds match installs the server's packages, and builds nothing until a change", async (t) => {
  const clone = await aClone();
  t.after(clone.remove);
  await clone.markBuilt();
  assert.match(await clone.buildServing(), /^ci .*--omit=dev --workspace=packages\/server\n$/);
  assert.equal(await clone.buildServing(), "");
  await clone.change();
  const [asked, built] = (await clone.buildServing()).split("\n");
  assert.match(asked ?? "", /^ci .*--omit=dev$/);
  assert.equal(built, "built server console cli docs with .longwave-lock-serving.json");
});

test("a first start leaves the console out, whose packages are added to those in use", async (t) => {
  const clone = await aClone();
  t.after(clone.remove);
  const [asked, built] = (await clone.prepareStart()).split("\n");
  assert.match(
    asked ?? "",
    /^ci .*--omit=dev --workspace=packages\/server --workspace=packages\/cli --include-workspace-root$/,
  );
  assert.equal(built, "built server cli docs with .longwave-lock-first.json; left out: true");
  const modules = join(clone.folder, "node_modules");
  for (const name of ["kept", "late"]) await mkdir(join(modules, name));
  assert.match(await clone.addConsole(1), /^install --no-save --omit=dev /, "one that fails");
  assert.deepEqual(
    [existsSync(join(modules, "kept")), existsSync(join(modules, "late"))],
    [true, false],
    "half a package of an interrupted attempt goes",
  );
  assert.match(await clone.prepareStart(), /^built server cli docs with [^;]+; left out: true$/);
  assert.match(await clone.addConsole(), /^install /);
  assert.equal(await clone.addConsole(), "", "and once it is done, npm is not asked");
  assert.doesNotMatch(await clone.buildServing(), /ci |install /);
  await clone.change();
  assert.match(await clone.buildServing(), /^ci .*--omit=dev\n/);
});

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

test("the lock file names the optional packages of every platform, as npm ci demands", async () => {
  const lock = await readFile(join(SCRIPTS, "../package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, LockedPackage>> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  assert.deepEqual(missing, [], "run npm install --package-lock-only against the full registry");
});
