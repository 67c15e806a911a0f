import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentVersion, refuseVersion, setVersion } from "./versions.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NAMES_VERSIONS = /(?:^|\/)(?:package(?:-lock)?\.json|Chart\.yaml|values\.yaml)$|\.md$/;

test("a version reaches every manifest, the lock file, the chart and the names of tarballs", (t) => {
  const copy = mkdtempSync(join(tmpdir(), "lw-versions-"));
  t.after(() => rmSync(copy, { recursive: true }));
  const listed = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
  const files = listed.filter((path) => NAMES_VERSIONS.test(path) && !path.startsWith("lint/"));
  for (const path of files) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  const before = currentVersion(copy);
  setVersion(copy, "9.8.7");
  assert.equal(currentVersion(copy), "9.8.7");
  const named = files.filter((path) => readFileSync(join(copy, path), "utf8").includes("9.8.7"));
  assert.ok(named.includes("packages/contract/package.json"));
  assert.ok(named.includes("deploy/helm/longwave/values.yaml"));
  assert.ok(named.includes("packages/sdk/README.md"));
  for (const path of named) {
    const left = readFileSync(join(copy, path), "utf8").split("\n");
    // Foreign packages of the lock file keep their own versions.
    const ours = left.filter((line) => line.includes(before) && /longwave|appVersion/.test(line));
    assert.deepEqual(ours, [], path);
  }
  const lock = JSON.parse(readFileSync(join(copy, "package-lock.json"), "utf8"));
  assert.equal(lock.packages["packages/cli"].version, "9.8.7");
  assert.equal(lock.packages["packages/cli"].dependencies["@longwave/server"], "9.8.7");
  assert.equal(lock.packages["node_modules/commander"].version, "14.0.3");
  setVersion(copy, before);
  for (const path of files) {
    assert.equal(readFileSync(join(copy, path), "utf8"), readFileSync(join(ROOT, path), "utf8"));
  }
});

test("a version follows the current one, unless it is released, older or none", () => {
  const released = (version: string) => version === "0.1.0";
  const refuse = (version: string, current: string) => refuseVersion(version, current, released);
  assert.equal(refuse("0.2.0", "0.1.0"), null);
  assert.equal(refuse("0.10.0", "0.9.9"), null);
  assert.equal(refuse("0.2.0", "0.2.0"), null, "bumped, not yet released");
  assert.equal(refuse("0.2.0", "0.2.0-rc.2"), null);
  assert.equal(refuse("0.2.0-rc.10", "0.2.0-rc.9"), null);
  assert.match(refuse("0.1.0", "0.1.0") ?? "", /its tag v0\.1\.0 exists/);
  assert.match(refuse("0.0.9", "0.1.0") ?? "", /older than 0\.1\.0/);
  assert.match(refuse("0.2.0-rc.1", "0.2.0") ?? "", /older than 0\.2\.0/);
  for (const wrong of ["", "1", "1.0", "v1.0.0", "1.0.0+5", "1.0.0 ", "latest", "--dry-run"]) {
    assert.match(refuse(wrong, "0.1.0") ?? "", /is not a version/, wrong);
  }
});
