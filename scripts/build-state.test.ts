import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPTS = fileURLToPath(new URL(".", import.meta.url));
const SOURCE = "packages/console/src/main.tsx";

function outdatedIn(folder: string): string[] {
  const code =
    'import("./scripts/build-state.mjs").then((m) => console.log(JSON.stringify(m.outdated())))';
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", code], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout) as string[];
}

test("a build matches in another folder and at another time, until a source changes", async (t) => {
  const parent = await mkdtemp(join(tmpdir(), "longwave-build-state-"));
  t.after(() => rm(parent, { recursive: true }));
  const [first, second] = [join(parent, "first"), join(parent, "second")];
  await mkdir(join(first, "packages/console/src"), { recursive: true });
  for (const name of ["build-state.mjs", "install.mjs", "steps.mjs"]) {
    await cp(join(SCRIPTS, name), join(first, "scripts", name));
  }
  await writeFile(join(first, SOURCE), "1");
  const stamp =
    'import("./scripts/build-state.mjs").then((m) => { const { mkdirSync } = require("node:fs"); for (const [name, { out }] of Object.entries(m.TARGETS)) { mkdirSync(out, { recursive: true }); m.writeStamp(out, m.sourcesStamp(name)); } })';
  assert.equal(spawnSync(process.execPath, ["-e", stamp], { cwd: first }).status, 0);
  assert.deepEqual(outdatedIn(first), []);
  await cp(first, second, { recursive: true });
  await utimes(join(second, SOURCE), 1, 1);
  assert.deepEqual(outdatedIn(second), [], "a copy has no reason to build");
  await writeFile(join(second, "packages/console/src/main.test.tsx"), "a test");
  assert.deepEqual(outdatedIn(second), [], "tests are not built");
  await writeFile(join(second, SOURCE), "2");
  assert.deepEqual(outdatedIn(second), ["console"]);
});
