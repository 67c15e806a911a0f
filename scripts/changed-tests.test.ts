import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testsOfChanges } from "./changed-tests.ts";

const SERVER = "packages/server/src";
const KIT = "packages/server/testing/kit.ts";
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  // A test over HTTP, and sources of its domain.
  [`${SERVER}/people/contacts/list.test.ts`]: [KIT],
  [`${SERVER}/people/contacts/list.ts`]: [],
  [`${SERVER}/people/contacts/index.ts`]: [`${SERVER}/people/contacts/list.ts`],
  // A domain on top of it.
  [`${SERVER}/messaging/send/send.test.ts`]: [KIT],
  [`${SERVER}/messaging/send/send.ts`]: [`${SERVER}/people/contacts/index.ts`],
  // A domain that has nothing to do with it, one of whose tests calls a source.
  [`${SERVER}/events/log/append.test.ts`]: [KIT, `${SERVER}/events/log/append.ts`],
  [`${SERVER}/events/log/append.ts`]: [`${SERVER}/core/ids.ts`, "packages/contract/src/index.ts"],
  [`${SERVER}/surfaces/console/home.ts`]: [],
  [`${SERVER}/core/ids.ts`]: [],
  [`${SERVER}/app/assemble.ts`]: [
    `${SERVER}/messaging/send/send.ts`,
    `${SERVER}/events/log/append.ts`,
  ],
  [KIT]: [`${SERVER}/app/assemble.ts`],
  "packages/server/test/console/home.test.ts": [KIT],
  "packages/server/test/examples.test.ts": [KIT],
  "packages/server/test/start.test.ts": ["packages/server/testing/program.ts"],
  "packages/server/testing/program.ts": [],
  "packages/contract/src/index.ts": [],
  "packages/contract/src/b.test.ts": ["packages/contract/src/b.ts"],
  "packages/contract/src/b.ts": [],
  "packages/cli/test/send.test.ts": ["packages/cli/test/longwave.ts", KIT],
  "packages/cli/test/longwave.ts": [],
  "packages/cli/src/main.ts": ["packages/cli/src/send.ts"],
  "packages/cli/src/send.ts": [],
  "scripts/documents.test.ts": ["scripts/documents.ts"],
  "scripts/documents.ts": [],
};
const INPUTS = new Map(Object.entries(IMPORTS));
const TESTS = [...INPUTS.keys()].filter((path) => path.endsWith(".test.ts"));

const inOrder = (names: readonly string[]) => [...names].sort((a, b) => a.localeCompare(b));

/** Names of the test files that a change selects. */
function selected(...changed: string[]): string[] {
  const nameOf = (path: string) => /([^/]+)\.test\.ts$/.exec(path)?.[1] ?? path;
  return inOrder(testsOfChanges(INPUTS, TESTS, changed).map(nameOf));
}

const WITH_KIT = ["list", "send", "append", "home", "examples", "send"];
const ALL = ["list", "send", "append", "home", "examples", "start", "b", "send", "documents"];

describe("tests of changed files", () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ["a test file selects itself", `${SERVER}/people/contacts/list.test.ts`, ["list"]],
    [
      "a source selects its domain, the domains that import it, the whole server's, and programs",
      `${SERVER}/people/contacts/list.ts`,
      ["list", "send", "examples", "start"],
    ],
    [
      "a source selects the tests that import it without a helper",
      `${SERVER}/events/log/append.ts`,
      ["append", "examples", "start"],
    ],
    [
      "a source selects the tests of its domain that lie elsewhere",
      `${SERVER}/surfaces/console/home.ts`,
      ["home", "examples", "start"],
    ],
    [
      "a source of types, which no bundle has, selects its domain",
      `${SERVER}/people/contacts/deps.ts`,
      ["list", "examples", "start"],
    ],
    ["the core selects all that import it", `${SERVER}/core/ids.ts`, [...WITH_KIT, "start"]],
    [
      "the composition root selects every server's",
      `${SERVER}/app/assemble.ts`,
      [...WITH_KIT, "start"],
    ],
    ["the kit selects all that import it", KIT, [...WITH_KIT, "start"]],
    [
      "the contract selects all that import it",
      "packages/contract/src/index.ts",
      [...WITH_KIT, "start"],
    ],
    [
      "a source of the command line selects its tests",
      "packages/cli/src/send.ts",
      ["start", "send"],
    ],
    [
      "a file that no test imports selects its package",
      "packages/server/src/x.sql",
      ["list", "send", "append", "home", "examples", "start"],
    ],
    ["a page selects the tests of scripts", "docs/operations.md", ["documents"]],
    ["the lock file selects all", "package-lock.json", ALL],
    ["the way tests are run selects all", "scripts/test-groups.ts", ALL],
  ];
  for (const [title, changed, expected] of cases) {
    it(title, () => assert.deepEqual(selected(changed), inOrder(expected)));
  }
  it("several changes select what each selects", () => {
    assert.deepEqual(selected(`${SERVER}/events/log/append.ts`, "docs/a.md"), [
      "append",
      "documents",
      "examples",
      "start",
    ]);
  });
  it("nothing changed selects nothing", () => assert.deepEqual(selected(), []));
});
