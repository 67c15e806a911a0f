import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testsOfChanges } from "./changed-tests.ts";

const INPUTS = new Map([
  ["packages/server/src/a.test.ts", ["packages/server/src/a.ts"]],
  ["packages/server/src/a.ts", ["packages/contract/src/index.ts"]],
  ["packages/contract/src/index.ts", []],
  ["packages/contract/src/b.test.ts", ["packages/contract/src/b.ts"]],
  ["packages/contract/src/b.ts", []],
  ["packages/server/test/start.test.ts", ["packages/server/testing/program.ts"]],
  ["packages/server/testing/program.ts", []],
  ["scripts/documents.test.ts", ["scripts/documents.ts"]],
  ["scripts/documents.ts", []],
]);
const TESTS = [...INPUTS.keys()].filter((path) => path.endsWith(".test.ts"));
const [a, b, start, documents] = TESTS as [string, string, string, string];

describe("tests of changed files", () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ["a test file selects itself", a, [a]],
    [
      "a source selects the tests that import it, directly or not",
      "packages/contract/src/index.ts",
      [a, start],
    ],
    [
      "a source of a program selects the tests that start programs",
      "packages/server/src/a.ts",
      [a, start],
    ],
    ["a file that no test imports selects its package", "packages/server/src/x.sql", [a, start]],
    ["a page selects the tests of scripts", "docs/operations.md", [documents]],
    ["the lock file selects all", "package-lock.json", TESTS],
    ["the way tests are run selects all", "scripts/test-groups.ts", TESTS],
  ];
  for (const [title, changed, expected] of cases) {
    it(title, () => assert.deepEqual(testsOfChanges(INPUTS, TESTS, [changed]), expected));
  }
  it("nothing changed selects nothing", () => {
    assert.deepEqual(testsOfChanges(INPUTS, TESTS, []), []);
    assert.equal(TESTS.includes(b), true);
  });
});
