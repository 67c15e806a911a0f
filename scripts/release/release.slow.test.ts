import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { outputOf, packedPostgres, ROOT } from "../packages/packed.ts";

const VERSION = "99.0.0";
const REPOSITORY = "https://github.com/someone/Longwave";
const OUT = join(ROOT, "dist/release", VERSION);

function release(...args: string[]) {
  const script = ["--import", "tsx", "--conditions=@longwave/source", "scripts/release.ts"];
  return spawnSync(process.execPath, [...script, ...args], { cwd: ROOT, encoding: "utf8" });
}

test("a release that cannot be made is refused with the reason", () => {
  for (const [args, reason] of [
    [[], /^Usage: npm run release -- VERSION/],
    [[VERSION, "--dry-runs"], /^Usage/],
    [[VERSION, "--dry-run", "--artifacts"], /^Usage/],
    [[VERSION, "--repository", "/home/me/longwave"], /^Usage/],
    [["0.0.1", "--dry-run"], /^0\.0\.1 is older than \d/],
    [["latest", "--dry-run"], /is not a version/],
    [[VERSION, "--artifacts"], /^The packages are \d+\.\d+\.\d+, not 99\.0\.0\./],
  ] as const) {
    const { status, stderr } = release(...args);
    assert.equal(status, 1, args.join(" "));
    assert.match(stderr, reason);
  }
});

test("a dry run leaves installable tarballs, notes and image tags, and the repository as it was", async (t) => {
  t.after(() => rmSync(OUT, { recursive: true, force: true }));
  const state = () => outputOf("git", ["status", "--porcelain"], ROOT);
  const [before, tags] = [state(), outputOf("git", ["tag"], ROOT)];
  const run = release(VERSION, "--dry-run", "--repository", REPOSITORY);
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^Packed 4 packages into dist\/release\/99\.0\.0\.\nDry run: no file/);
  assert.equal(state(), before);
  assert.equal(outputOf("git", ["tag"], ROOT), tags);

  const facts = JSON.parse(readFileSync(join(OUT, "release.json"), "utf8"));
  const notes = readFileSync(join(OUT, "notes.md"), "utf8");
  await t.test("facts and notes name every package, image and migration", () => {
    assert.deepEqual(facts.image_tags, [
      "ghcr.io/someone/longwave:99.0.0",
      "ghcr.io/someone/longwave:99.0",
      "ghcr.io/someone/longwave:latest",
    ]);
    assert.equal(facts.tag, "v99.0.0");
    assert.equal(facts.prerelease, false);
    assert.match(notes, /^# Longwave 99\.0\.0\n\n### Added\n/);
    for (const { name, file, sha256 } of facts.tarballs) {
      const sum = createHash("sha256")
        .update(readFileSync(join(OUT, file)))
        .digest("hex");
      assert.equal(sha256, sum, file);
      assert.ok(notes.includes(`| \`${name}\` | \`${file}\` | \`${sum}\` |`), file);
    }
    const migrations = readdirSync(
      join(ROOT, "packages/server/src/core/db/schema/migrations"),
    ).sort();
    const released = JSON.parse(
      readFileSync(join(ROOT, "packages/server/testing/first-version/frozen.json"), "utf8"),
    );
    assert.deepEqual(
      facts.migrations,
      migrations.filter((name) => !(name in released)),
    );
  });

  await t.test("the tarballs install, and name their version and repository", () => {
    const folder = mkdtempSync(join(tmpdir(), "lw-released-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    const files = facts.tarballs.map(({ file }: { file: string }) => join(OUT, file));
    const install = ["install", "--offline", "--no-audit", "--no-fund"];
    outputOf("npm", [...install, ...files, packedPostgres(folder)], folder);
    const bin = join(folder, "node_modules/.bin/longwave");
    assert.equal(outputOf(bin, ["--version"], folder), "99.0.0\n");
    for (const { name } of facts.tarballs) {
      const manifest = JSON.parse(
        readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"),
      );
      assert.equal(manifest.version, VERSION, name);
      assert.equal(manifest.repository.url, `git+${REPOSITORY}.git`, name);
      assert.deepEqual(manifest.publishConfig, { access: "public", provenance: true }, name);
      assert.equal(manifest.private, undefined, name);
    }
  });
});
